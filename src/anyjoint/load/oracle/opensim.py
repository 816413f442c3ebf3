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

from .answer import Answer, Floats
from .weak import decided_by_weak_rows

opensim.Logger.setLevelString("Off")


def opened(path: Path, mech: Mechanism) -> Oracle:
    """The oracle of a file."""
    return Oracle(path, mech)


class Oracle:
    """A model in OpenSim; coordinates that follow others are taken along by its own functions."""

    def __init__(self, path: Path, mech: Any) -> None:
        self.model, self.mech = opensim.Model(str(path)), mech
        self.now, self.size = self.model.initSystem(), 1.0
        self.notes = list[str]()
        self.coordinates = self.model.getCoordinateSet()
        self.order = [(name, mech[body].q.start + k) for name, (body, k) in mech.source.coordinates.items()]
        every = [self.coordinates.get(k) for k in range(self.coordinates.getSize())]
        self.names = {c.getName() for c in every}
        if not all(name in self.names for name, _ in self.order):
            raise ValueError("it has other coordinates")
        moved = {(c.getName(), mech.source.joints.get(c.getJoint().getName())): c for c in every}
        # Those of ours; others, which are locked, may have the same names.
        found = mech.source.coordinates.items()
        self.own = {name: moved.get((name, body)) or self.coordinates.get(name) for name, (body, _) in found}
        found = {n: m for n, m in mech.source.muscles.items() if self.model.getMuscles().contains(n)}
        self.muscles = {n: m for n, m in found.items() if _alone([x for x in m.path if isinstance(x, OBSTACLES)])}

    def state(self, random: np.random.Generator) -> Floats:
        """Our q at random within the ranges; OpenSim goes to the same state."""
        q = np.zeros(self.mech.nq)
        for name, at in self.order:
            c = self.own[name]
            low, high = max(c.getRangeMin(), -1.2), min(c.getRangeMax(), 1.2)
            q[at] = random.uniform(low, high) if low < high else c.getDefaultValue()
            c.setLocked(self.now, False)
            c.setValue(self.now, float(q[at]), False)
        self._follow()
        self.model.realizePosition(self.now)
        return q

    def _follow(self) -> None:
        """Take coordinates along that couplers lead, in the order of the file."""
        constraints = self.model.getConstraintSet()
        for k in range(constraints.getSize()):
            coupler = opensim.CoordinateCouplerConstraint.safeDownCast(constraints.get(k))
            if coupler is not None and coupler.isEnforced(self.now):
                leads = coupler.getIndependentCoordinateNames()
                x = simbody.Vector(leads.getSize(), 0.0)
                for i in range(leads.getSize()):
                    x.set(i, self.coordinates.get(leads.get(i)).getValue(self.now))
                value = coupler.getFunction().calcValue(x)  # files of today have no scale factors
                self.coordinates.get(coupler.getDependentCoordinateName()).setValue(self.now, value, False)

    def answers(self, model: Any, random: np.random.Generator) -> Iterator[Answer]:
        """Ours and theirs at a random state: poses, velocities, the mass matrix, lengths and moment arms of muscles."""
        q = self.state(random)
        poses = model.body_poses(q)
        for body in self._bodies():
            yield "poses", poses[self.mech[body.getName()].index], self.pose(body)
        if len(self.order) == len(self.names) == self.now.getNQ():
            twists = model.body_twists(q, self.move(random))
            for body in self._bodies():
                k = self.mech[body.getName()].index
                yield "velocities", twists[k].reshape(2, 3) @ poses[k, :3, :3].T, self.velocity(body)
            yield "mass matrix", model.mass_matrix(q), self.mass_matrix()
        yield from self.paths(model, q)

    def _bodies(self) -> list[Any]:
        bodies = self.model.getBodySet()
        return [bodies.get(k) for k in range(bodies.getSize())]

    def move(self, random: np.random.Generator) -> Floats:
        """Let OpenSim move at random speeds; our velocities then, which are rates of coordinates."""
        at, u = self._slots(), simbody.Vector(self.now.getNU(), 0.0)
        for k in range(u.size()):
            u.set(k, random.normal())
        self.now.setU(u)
        self.model.realizeVelocity(self.now)
        return np.array([self.now.getQDot().get(int(i)) for i in at])

    def velocity(self, body: Any) -> Floats:
        """Angular velocity of a body and velocity of its origin, in the world."""
        both = body.getVelocityInGround(self.now)
        return np.array([[both.get(i).get(k) for k in range(3)] for i in range(2)])

    def paths(self, model: Any, q: Floats) -> Iterator[Answer]:
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
            yield from self._constrained_arms(model, q)
            return
        N = self.rates()[np.ix_(self._slots(), self._speeds())]
        ours = model.moment_arms(q, self.muscles) @ N  # OpenSim's are of its own speeds
        yield "moment arms", ours[~longer], self.arms()[~longer]

    def _compared_lengths(self, model: Any, q: Floats) -> tuple[Floats, Floats, Floats]:
        """Whether OpenSim's way around a cylinder is the longer one, and lengths, ours and theirs."""
        ours, theirs = model.path_length(q, self.muscles), self.lengths()
        around = np.array([any(isinstance(x, WrapCylinder) for x in m.path) for m in self.muscles.values()])
        return around & (theirs > ours) & (theirs < ours + 1e-3), ours, theirs

    def _constrained_arms(self, model: Any, q: Floats) -> Iterator[Answer]:
        """Moment arms on constraints, of coordinates that they let move and whose speeds are their rates."""
        try:
            q, _ = model.assemble(q)
        except AnyjointError:  # ranges of coordinates know nothing of loops
            return
        for name, at in self.order:
            self.own[name].setValue(self.now, float(q[at]), False)
        self._follow()
        self.model.realizePosition(self.now)
        N = self.rates()[np.ix_(self._slots(), self._speeds())]
        longer, *_ = self._compared_lengths(model, q)
        back = np.linalg.inv(N)
        weights = None if np.array_equal(N, np.eye(len(N))) else back.T @ back
        ours = model.moment_arms(q, self.muscles, constrained=True, weights=weights)
        kept = np.isfinite(ours).all(axis=0) & (np.eye(len(N)) == N).all(axis=1)
        theirs = self.arms()
        note = decided_by_weak_rows(model, q, self.muscles, theirs, weights)
        if note:
            self.notes.append(note)
        else:
            yield "moment arms on constraints", ours[~longer][:, kept], theirs[~longer][:, kept]

    def arms(self) -> Floats:
        """Moment arms of the muscles about each of our coordinates."""
        found = np.zeros((len(self.muscles), self.mech.nv))
        for row, name in enumerate(self.muscles):
            for coordinate, at in self.order:
                arm = self.path(name).computeMomentArm(self.now, self.own[coordinate])
                found[row, self._velocity(at)] = arm
        return found

    def lengths(self) -> Floats:
        """Lengths of the muscles."""
        return np.array([self.path(name).getLength(self.now) for name in self.muscles])

    def path(self, name: str) -> Any:
        """The path of a muscle."""
        return self.model.getMuscles().get(name).getGeometryPath()

    def _velocity(self, at: int) -> int:
        body = next(body for body in self.mech.bodies if body.q.start <= at < body.q.stop)
        return int(body.v.start + at - body.q.start)

    def pose(self, body: Any) -> Floats:
        T, made = body.getTransformInGround(self.now), np.eye(4)
        for i in range(3):
            made[i, :3] = [T.R().get(i, k) if hasattr(T.R(), "get") else T.R().asMat33().get(i, k) for k in range(3)]
            made[i, 3] = T.p().get(i)
        return made

    def mass_matrix(self) -> Floats:
        """M for rates of coordinates, in our order."""
        n, M = self.now.getNU(), simbody.Matrix()
        self.model.getMatterSubsystem().calcM(self.now, M)
        full = np.array([[M.get(i, k) for k in range(n)] for i in range(n)])
        back = np.linalg.inv(self.rates())
        in_rates = back.T @ full @ back
        at = self._slots()
        return in_rates[np.ix_(at, at)]

    def rates(self) -> Floats:
        """N of qdot = N u, in OpenSim's order; velocities of balls are no rates there. It stands still then."""
        nq, n = self.now.getNQ(), self.now.getNU()
        N, u = np.zeros((nq, n)), simbody.Vector(n, 0.0)
        for k in range(n):
            u.set(k, 1.0)
            self.now.setU(u)
            self.model.realizeVelocity(self.now)
            N[:, k] = [self.now.getQDot().get(i) for i in range(nq)]
            u.set(k, 0.0)
        self.now.setU(u)
        self.model.realizePosition(self.now)
        return N

    def _speeds(self) -> Floats:
        """Where the speed of each of our velocities is among OpenSim's, of a model that stands still."""
        found = np.zeros(self.mech.nv, dtype=int)
        for name, at in self.order:
            self.own[name].setSpeedValue(self.now, 1.0)
            found[self._velocity(at)] = int(np.argmax([self.now.getU().get(i) for i in range(self.now.getNU())]))
            self.own[name].setSpeedValue(self.now, 0.0)
        self.model.realizePosition(self.now)
        return found

    def _slots(self) -> Floats:
        """Where each of our velocities is among OpenSim's rates: the coordinate that changes when one is set."""
        found, before = np.zeros(self.mech.nv, dtype=int), self._q()
        for name, at in self.order:
            c = self.own[name]
            value = c.getValue(self.now)
            c.setValue(self.now, value + 0.125, False)
            found[self._velocity(at)] = int(np.argmax(np.abs(self._q() - before)))
            c.setValue(self.now, value, False)
        self.model.realizePosition(self.now)
        return found

    def _q(self) -> Floats:
        return np.array([self.now.getQ().get(i) for i in range(self.now.getNQ())])


def _alone(obstacles: list[Any]) -> bool:
    """Whether OpenSim means the same by a path around them."""
    return len(obstacles) < 2 and not any(isinstance(x, WrapEllipsoid) for x in obstacles)
