"""OpenSim's answers for an .osim in the coordinates of a loaded mechanism, coordinate by coordinate name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import opensim
from opensim import simbody

from anyjoint.errors import AnyjointError
from anyjoint.forces import WrapCylinder, WrapEllipsoid
from anyjoint.forces.around import OBSTACLES
from anyjoint.mechanism import Mechanism
from anyjoint.model.allowed import allowed_motions

from .answer import Answer, Floats
from .opensim_states import States, vector
from .weak import weak_rows

opensim.Logger.setLevelString("Off")

STEP = 1e-5  # of differences, which are then right to some 1e-9
SAME = 1e-8  # what those may be apart that are meant to be equal
TRIES = 20  # states to begin from
OWN = "accelerations that OpenSim's own velocities do not have"


def opened(path: Path, mech: Mechanism) -> Oracle:
    """The oracle of a file."""
    return Oracle(path, mech)


class Oracle:
    """A model in OpenSim, and a state of it."""

    def __init__(self, path: Path, mech: Any) -> None:
        self.model, self.mech = opensim.Model(str(path)), mech
        self.states, self.size = States(self.model, mech), 1.0
        self.now, self.notes, self.off = self.states.now, list[str](), 0.0
        found = {n: m for n, m in mech.source.muscles.items() if self.model.getMuscles().contains(n)}
        self.muscles = {n: m for n, m in found.items() if _alone([x for x in m.path if isinstance(x, OBSTACLES)])}

    def answers(self, model: Any, random: np.random.Generator) -> Iterator[Answer]:
        """Ours and theirs at a random state: poses, velocities, accelerations, the mass matrix, muscles' lengths and
        moment arms.
        """
        q = self.states.random(random)
        poses = model.body_poses(q)
        for body in self._bodies():
            yield "poses", poses[self.mech[body.getName()].index], self.pose(body)
        v, a = random.normal(size=(2, self.mech.nv))
        spread = self.states.spread()
        yield "mass matrix", model.mass_matrix(q), spread.T @ self.mass_matrix() @ spread
        self.states.move(spread @ v)
        yield "velocities", self._seen(model.body_twists(q, v), poses), self.velocities()
        yield from self.accelerations(model, (q, v, a), spread)
        yield from self.paths(model, q, random)

    def _bodies(self) -> list[Any]:
        bodies = self.model.getBodySet()
        return [bodies.get(k) for k in range(bodies.getSize())]

    def _seen(self, vectors: Floats, poses: Floats) -> Floats:
        """Angular and linear vectors of OpenSim's bodies, which are in their own axes, in world axes."""
        at = [self.mech[body.getName()].index for body in self._bodies()]
        return vectors[at].reshape(-1, 2, 3) @ np.swapaxes(poses[at, :3, :3], 1, 2)

    def velocities(self) -> Floats:
        """Angular velocities of bodies and velocities of their origins, in the world."""
        return np.array([_pair(body.getVelocityInGround(self.now)) for body in self._bodies()])

    def accelerations(self, model: Any, state: tuple[Floats, Floats, Floats], spread: Floats) -> Iterator[Answer]:
        """Those of bodies at (q, v, a), against differences of OpenSim's velocities; and against its own accelerations
        where these are what its velocities say, which derivatives of its splines are not everywhere.
        """
        q, v, a = state
        twists, rates = model.body_twists(q, v), model.body_twists(q, a) + model.jacobian_rate_times(q, v, v)
        rates[:, 3:] += np.cross(twists[:, :3], twists[:, 3:])  # of origins that turn with their axes
        ours = self._seen(rates, model.body_poses(q))
        own = self._own_accelerations(spread @ a)
        (before, there), (after, here) = (self._along(state, h) for h in (-STEP, STEP))
        differences = (after - before) / (2 * STEP)
        self.states.go(q)
        yield "accelerations by differences", ours, differences
        if np.abs(here - there).max() > SAME * STEP:  # our accelerations are not all that its speeds need
            return
        off = np.abs(own - differences).max() / np.abs(differences).max(initial=1e-300)
        if off < SAME:
            yield "accelerations", ours, own
        elif off > self.off:
            self.off = off
            self.notes = [note for note in self.notes if not note.startswith(OWN)] + [f"{OWN}: off by {off:.1g}"]

    def _own_accelerations(self, rates: Floats) -> Floats:
        """OpenSim's accelerations of bodies where its speeds change at these rates."""
        found = simbody.VectorOfSpatialVec()
        self.model.getMatterSubsystem().calcBodyAccelerationFromUDot(self.now, vector(rates), found)
        return np.array([_pair(found.get(body.getMobilizedBodyIndex())) for body in self._bodies()])

    def _along(self, state: tuple[Floats, Floats, Floats], h: float) -> tuple[Floats, Floats]:
        """OpenSim's velocities of bodies a time later, and how its speeds go with our velocities there."""
        q, v, a = state
        self.states.go(q + h * v + h * h / 2 * a)
        spread = self.states.spread()
        self.states.move(spread @ (v + h * a))
        return self.velocities(), spread

    def paths(self, model: Any, q: Floats, random: np.random.Generator) -> Iterator[Answer]:
        """Lengths and moment arms of the muscles; around cylinders, where OpenSim's way is not quite the shortest,
        what it is longer by counts as nothing. Around ellipsoids and two obstacles at once, which loading warns of, it
        does not count at all. OpenSim's moment arms are those of motions that keep constraints, so that they are asked
        for on them.
        """
        if not self.muscles:
            return
        longer, ours, theirs = self._compared_lengths(model, q)
        yield "lengths", np.where(longer, theirs, ours), theirs
        if self.mech.constraints:
            yield from self._constrained_arms(model, q, random)
            return
        ours = model.moment_arms(q, self.muscles) @ self.states.own_rates()  # OpenSim's are of its own speeds
        yield "moment arms", ours[~longer], self.arms()[~longer]

    def _compared_lengths(self, model: Any, q: Floats) -> tuple[Floats, Floats, Floats]:
        """Whether OpenSim's way around a cylinder is the longer one, and lengths, ours and theirs."""
        ours, theirs = model.path_length(q, self.muscles), self.lengths()
        around = np.array([any(isinstance(x, WrapCylinder) for x in m.path) for m in self.muscles.values()])
        return around & (theirs > ours) & (theirs < ours + 1e-3), ours, theirs

    def _constrained_arms(self, model: Any, q: Floats, random: np.random.Generator) -> Iterator[Answer]:
        """Moment arms on constraints, of coordinates that they let move and whose speeds are their rates."""
        q = self._closed(model, q, random)
        if not q.size:
            self.notes.append("moment arms on constraints: no state within the ranges of coordinates was found")
            return
        self.states.go(q)
        N = self.states.own_rates()
        longer, *_ = self._compared_lengths(model, q)
        back = np.linalg.inv(N)
        weights = None if np.array_equal(N, np.eye(len(N))) else back.T @ back
        ours = model.moment_arms(q, self.muscles, constrained=True, weights=weights)
        kept = np.isfinite(ours).all(axis=0) & (np.eye(len(N)) == N).all(axis=1)
        if weak_rows(model, q):
            note = "moment arms on constraints: rows repeat others but for rounding, and its own solver counts them"
            self.notes.append(note)
            yield from self._by_slopes(ours[~longer], allowed_motions(model.whole, "moment_arms", q, weights), q)
            return
        theirs = self.arms()
        yield "moment arms on constraints", ours[~longer][:, kept], theirs[~longer][:, kept]

    def _by_slopes(self, ours: Floats, motions: Floats, q: Floats) -> Iterator[Answer]:
        """Our motions against OpenSim's constraints, and our moment arms against differences of its lengths."""
        free = np.isfinite(motions).all(axis=0)
        slopes = np.stack([self._slope(q, step) for step in STEP * np.eye(len(q))], axis=-1)
        yield "moment arms by differences", ours[:, free], slopes @ motions[:, free]
        self.states.go(q)
        P = simbody.Matrix()
        self.model.getMatterSubsystem().calcP(self.now, P)
        rates = _matrix(P) @ self.states.spread()
        broken = rates @ (motions / np.linalg.norm(motions, axis=0))[:, free] / np.abs(rates).max()
        yield "motions on constraints", 1 + broken, np.ones_like(broken)

    def _slope(self, q: Floats, step: Floats) -> Floats:
        ends = []
        for x in (q - step, q + step):
            self.states.go(x)
            ends.append(self.lengths())
        return (ends[0] - ends[1]) / (2 * step.sum())

    def _closed(self, model: Any, q: Floats, random: np.random.Generator) -> Floats:
        """A state on the constraints, from there or from others; none where ranges of coordinates leave none."""
        for _ in range(TRIES):
            try:
                return np.asarray(model.assemble(q)[0])
            except AnyjointError:  # ranges know nothing of loops
                q = self.states.random(random)
        return np.zeros(0)

    def arms(self) -> Floats:
        """Moment arms of the muscles about each of our coordinates."""
        found = np.zeros((len(self.muscles), self.mech.nv))
        for row, name in enumerate(self.muscles):
            for coordinate, at in self.states.order:
                arm = self.path(name).computeMomentArm(self.now, self.states.own[coordinate])
                found[row, self.states.velocity(at)] = arm
        return found

    def lengths(self) -> Floats:
        """Lengths of the muscles."""
        return np.array([self.path(name).getLength(self.now) for name in self.muscles])

    def path(self, name: str) -> Any:
        """The path of a muscle."""
        return self.model.getMuscles().get(name).getGeometryPath()

    def pose(self, body: Any) -> Floats:
        T, made = body.getTransformInGround(self.now), np.eye(4)
        for i in range(3):
            made[i, :3] = [T.R().get(i, k) if hasattr(T.R(), "get") else T.R().asMat33().get(i, k) for k in range(3)]
            made[i, 3] = T.p().get(i)
        return made

    def mass_matrix(self) -> Floats:
        """M for OpenSim's speeds."""
        M = simbody.Matrix()
        self.model.getMatterSubsystem().calcM(self.now, M)
        return _matrix(M)


def _matrix(matrix: Any) -> Floats:
    return np.array([[matrix.get(i, k) for k in range(matrix.ncol())] for i in range(matrix.nrow())])


def _pair(both: Any) -> list[list[float]]:
    return [[both.get(i).get(k) for k in range(3)] for i in range(2)]


def _alone(obstacles: list[Any]) -> bool:
    """Whether OpenSim means the same by a path around them."""
    return len(obstacles) < 2 and not any(isinstance(x, WrapEllipsoid) for x in obstacles)
