"""States of a model in OpenSim by the coordinates of a loaded mechanism, and its speeds by our velocities."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import opensim
from opensim import simbody

from .answer import Floats


class States:
    """A model of OpenSim and its state; coordinates that follow others are taken along by its own functions."""

    def __init__(self, model: Any, mech: Any) -> None:
        self.model, self.mech, self.now = model, mech, model.initSystem()
        self.named = model.getCoordinateSet()
        self.every = [self.named.get(k) for k in range(self.named.getSize())]
        self.order = [(name, mech[body].q.start + k) for name, (body, k) in mech.source.coordinates.items()]
        names = {c.getName() for c in self.every}
        if not all(name in names for name, _ in self.order):
            raise ValueError("it has other coordinates")
        moved = {(c.getName(), mech.source.joints.get(c.getJoint().getName())): c for c in self.every}
        # Those of ours; others, which are locked, may have the same names.
        found = mech.source.coordinates.items()
        self.own = {name: moved.get((name, body)) or self.named.get(name) for name, (body, _) in found}

    def random(self, random: np.random.Generator) -> Floats:
        """Our q at random within the ranges; OpenSim goes to the same state."""
        q = np.zeros(self.mech.nq)
        for name, at in self.order:
            c = self.own[name]
            low, high = max(c.getRangeMin(), -1.2), min(c.getRangeMax(), 1.2)
            q[at] = random.uniform(low, high) if low < high else c.getDefaultValue()
            c.setLocked(self.now, False)
            c.setClamped(self.now, False)  # states on constraints may be beyond the ranges
        self.go(q)
        return q

    def go(self, q: Floats) -> None:
        """Go where our coordinates are q."""
        for name, at in self.order:
            self.own[name].setValue(self.now, float(q[at]), False)
        for follower, leads, function in self._couplers():
            follower.setValue(self.now, function.calcValue(_values(leads, self.now)), False)
        self.model.realizePosition(self.now)

    def move(self, u: Floats) -> None:
        """Move at speeds of OpenSim's."""
        self.now.setU(vector(u))
        self.model.realizeVelocity(self.now)

    def velocity(self, at: int) -> int:
        """The number of our velocity that is the rate of a coordinate."""
        body = next(body for body in self.mech.bodies if body.q.start <= at < body.q.stop)
        return int(body.v.start + at - body.q.start)

    def spread(self) -> Floats:
        """OpenSim's speeds (nu, nv) for each of our velocities: what is locked stands, what follows is taken along."""
        with self._unlocked():
            N = self.rates()[self._slots(self.every)]
        rows = {c.getAbsolutePathString(): k for k, c in enumerate(self.every)}
        C = np.zeros((len(rows), self.mech.nv))
        if N.shape[0] != N.shape[1]:
            raise ValueError("it has other speeds than rates of its coordinates")
        for name, at in self.order:
            C[rows[self.own[name].getAbsolutePathString()], self.velocity(at)] = 1
        for follower, leads, function in self._couplers():
            x = _values(leads, self.now)
            slopes = [function.calcDerivative(opensim.StdVectorInt([k]), x) for k in range(len(leads))]
            C[rows[follower.getAbsolutePathString()]] = slopes @ C[[rows[c.getAbsolutePathString()] for c in leads]]
        return np.linalg.solve(N, C)

    def own_rates(self) -> Floats:
        """Rates (nv, nv) of our coordinates per speed of OpenSim's that is of them."""
        slots = np.zeros(self.mech.nv, dtype=int)
        slots[[self.velocity(at) for _, at in self.order]] = self._slots([self.own[name] for name, _ in self.order])
        return self.rates()[np.ix_(slots, self._speeds())]

    def rates(self) -> Floats:
        """N of qdot = N u, in OpenSim's order; velocities of balls are no rates there. It stands still then."""
        n = self.now.getNU()
        N = np.zeros((self.now.getNQ(), n))
        for k, u in enumerate(np.eye(n)):
            self.move(u)
            N[:, k] = _floats(self.now.getQDot())
        self.now.setU(vector(np.zeros(n)))
        self.model.realizePosition(self.now)
        return N

    def _couplers(self) -> Iterator[tuple[Any, list[Any], Any]]:
        """Coordinates that follow others, these, and the function, in the order of the file."""
        constraints = self.model.getConstraintSet()
        for k in range(constraints.getSize()):
            coupler = opensim.CoordinateCouplerConstraint.safeDownCast(constraints.get(k))
            if coupler is not None and coupler.isEnforced(self.now):
                leads = coupler.getIndependentCoordinateNames()
                leading = [self.named.get(leads.get(i)) for i in range(leads.getSize())]
                # files of today have no scale factors
                yield self.named.get(coupler.getDependentCoordinateName()), leading, coupler.getFunction()

    @contextmanager
    def _unlocked(self) -> Iterator[None]:
        locked = [c for c in self.every if c.getLocked(self.now)]
        for c in locked:
            c.setLocked(self.now, False)
        self.model.realizePosition(self.now)
        yield
        for c in locked:
            c.setLocked(self.now, True)
        self.model.realizePosition(self.now)

    def _speeds(self) -> Floats:
        """Where the speed of each of our velocities is among OpenSim's, of a model that stands still."""
        found = np.zeros(self.mech.nv, dtype=int)
        for name, at in self.order:
            self.own[name].setSpeedValue(self.now, 1.0)
            found[self.velocity(at)] = int(np.argmax(_floats(self.now.getU())))
            self.own[name].setSpeedValue(self.now, 0.0)
        self.model.realizePosition(self.now)
        return found

    def _slots(self, coordinates: list[Any]) -> list[int]:
        """Where coordinates are among OpenSim's: what changes when one is set."""
        found, before = list[int](), _floats(self.now.getQ())
        for c in coordinates:
            value = c.getValue(self.now)
            c.setValue(self.now, value + 0.125, False)
            found.append(int(np.argmax(np.abs(_floats(self.now.getQ()) - before))))
            c.setValue(self.now, value, False)
        self.model.realizePosition(self.now)
        return found


def _floats(vector: Any) -> Floats:
    return np.array([vector.get(k) for k in range(vector.size())])


def vector(numbers: Floats) -> Any:
    """As OpenSim takes them."""
    made = simbody.Vector(len(numbers), 0.0)
    for k, x in enumerate(numbers):
        made.set(k, float(x))
    return made


def _values(coordinates: list[Any], now: Any) -> Any:
    return vector([c.getValue(now) for c in coordinates])
