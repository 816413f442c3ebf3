"""Steps in one combination of modes: friction of sliding contacts, and the forces that contacts pass.

Everything applied from outside is known to the released model, in which all contact bodies are free; its velocities are
v_r = N v. The wrench that a contact passes is what its equations lack: f = M a + bias - applied forces [PAK eq. 14].
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from anyjoint.frozen import frozen
from anyjoint.joints.wandering import towards_first
from anyjoint.mechanism import Body
from anyjoint.mechanism.contact import SLIDING
from anyjoint.model.program import Program
from anyjoint.quantity.sliding import sliding
from anyjoint.scalar.array import Floats

from ..kept import kept
from ..programs import program_of
from ..python_step import PythonStepper, State, coordinate_rates
from .friction import Response
from .lift import Lift, Lifted

if TYPE_CHECKING:
    from anyjoint.model import Model
    from anyjoint.quantity import Quantity
    from anyjoint.stepper import Stepper
    from anyjoint.stepper.tableau import Tableau

    from ..drive import Drive

CREEP = 1e-9  # m/s: slip so slow that its direction is the one that it began with


@frozen
class Solved:
    """Accelerations at a state, with what they come from: forces tau in the mode's terms, and their power."""

    lifted: Lifted
    a: Floats
    tau: Floats
    applied: Floats  # in terms of the released model, without what contacts pass
    power: float


class ModeStepper(PythonStepper):
    """Steps of the model of one combination of modes; `slips` are directions in which contacts have begun to slip."""

    def __init__(
        self, model: Model, released: Model, drive: Drive, stepper: Stepper, quantities: Sequence[str | Quantity]
    ) -> None:
        super().__init__(model, drive, stepper, quantities=quantities)
        self.released, self.free = released, Lift(model, released)
        self.idle = not (drive.values.any() or drive.callback or (drive.forces and drive.forces.torques))
        self.inverse = released.program("inverse_dynamics")
        self.multipliers = model.program("constraint_multipliers") if model.mechanism.constraints else None
        self._known: tuple[Lifted, Floats] | None = None
        touching = [own for own, _ in self.free.touching if own.contact and own.contact.friction > 0]
        self.rough = [own for own in touching if own.contact and own.contact.mode == SLIDING]
        self.slips: dict[str, Floats] = {}
        self.creeping: set[str] = set()
        self.length = 0.0  # of the present step

    # -- accelerations -----------------------------------------------------------------------------------------------

    def accelerate(self, t: float, q: Floats, v: Floats, h: float = 0.0) -> tuple[Floats, float]:
        """dv/dt with friction, and the power of inputs, forces, friction and dampers."""
        if self.idle and not self.rough:
            a = np.asarray(self.forward(q, v, np.zeros(self.model.nv), *self.model.clock(t)))
            return a, self.power(q, v, np.zeros(len(v)))
        solved = self.solve(t, q, v)
        return solved.a, solved.power

    def solve(self, t: float, q: Floats, v: Floats) -> Solved:
        """Accelerations that obey Coulomb's law at sliding contacts."""
        lifted, clock = self.free.lift(q, v), self.model.clock(t)
        applied = np.zeros(self.released.nv) if self.idle else self.drive.torque(t, lifted.q, lifted.v)
        tau = self.free.lowered(lifted, applied)
        a = np.asarray(self.forward(q, v, tau, *clock))
        if self.rough:
            push, way = self._friction(t, q, v, Solved(lifted, a, tau, applied, 0.0))
            tau, a = tau + push, a + way
        return Solved(lifted, a, tau, applied, self.power(q, v, tau))

    def _friction(self, t: float, q: Floats, v: Floats, base: Solved) -> tuple[Floats, Floats]:
        """Generalized forces of friction, and the accelerations that they make."""
        places = np.array([body.v.start + k for body in self.rough for k in (3, 4)])
        turns = [towards(q[body.q][4]) for body in self.rough]  # to the parents' frames, which do not spin with bodies
        unit = np.zeros((len(places), self.model.nv))
        for k, R in enumerate(turns):
            unit[2 * k : 2 * k + 2, places[2 * k] : places[2 * k] + 2] = R
        ways = np.array([np.asarray(self.forward(q, v, base.tau + x, *self.model.clock(t))) - base.a for x in unit])
        rows = [Solved(base.lifted, base.a + way, base.tau + x, base.applied, 0.0)
                for x, way in zip(unit, ways, strict=True)]  # fmt: skip
        names = tuple(body.name for body in self.rough)
        n0 = self._normals(t, q, v, base, names)
        spin = coordinate_rates(self.model, q, v)
        whirl = [spin[body.q][4] * np.array([-y, x]) for body in self.rough for x, y in (self.slip(body, q, v),)]
        made = Response(
            names,
            mu=np.array([body.contact.friction for body in self.rough if body.contact]),
            s=np.array([self.slip(body, q, v) for body in self.rough]),
            begun=np.array([self.slips[name] for name in names]),
            creeping=np.array([name in self.creeping for name in names]),
            n0=n0,
            N=np.array([self._normals(t, q, v, row, names) - n0 for row in rows]).T,
            b=unit[:, places] @ base.a[places] - np.concatenate(whirl),
            A=unit[:, places] @ ways[:, places].T,
        )
        f = made.friction(self.length)
        return f @ unit, f @ ways

    def _normals(self, t: float, q: Floats, v: Floats, solved: Solved, names: Sequence[str]) -> Floats:
        wrenches = self.wrenches(t, q, v, solved)
        return np.array([solved.lifted.frame(name).force(wrenches[name])[2] for name in names])

    @cached_property
    def rubbing(self) -> Program:
        """The program of accelerations with the friction of the one contact that rubs."""
        (body,), mechanism = self.rough, self.model.mechanism
        where = tuple(mechanism.bodies), tuple(map(float, mechanism.gravity))
        return program_of(self.model, kept(self.model, ("sliding", where), lambda: sliding(body)))

    def slip(self, body: Body, q: Floats, v: Floats) -> Floats:
        """The slip of a sliding contact, in the axes of the parent's frame 1c, which does not spin with the body."""
        return np.asarray(towards(q[body.q][4]) @ v[body.v][3:])

    def begin(self, q: Floats, v: Floats, pushed: Mapping[str, Floats]) -> None:
        """Take the present directions of slip as those that steps begin with; `pushed` are those of slips yet to come.

        Directions of contacts that hardly slip stay what they were.
        """
        self.creeping = set()
        for body in self.rough:
            slip = self.slip(body, q, v)
            size = float(np.linalg.norm(slip))
            if size <= CREEP:
                self.creeping.add(body.name)
            if body.name in pushed:
                self.slips[body.name] = pushed[body.name]
            elif size > CREEP or body.name not in self.slips:
                self.slips[body.name] = slip / size if size > 0 else np.array([1.0, 0.0])

    def until_stop(self, q: Floats, v: Floats, a: Floats) -> float:
        """How long the first of the contacts that slow down will go on slipping, if it slows down as it does now."""
        times = [math.inf]
        for body in self.rough:
            if body.name in self.creeping:
                continue
            slip, rate = self.slip(body, q, v), towards(q[body.q][4]) @ a[body.v][3:]
            if slip @ rate < 0:
                times.append(float(-(slip @ slip) / (slip @ rate)))
        return min(times)

    def step(self, t: float, q: Floats, v: Floats, h: float) -> State:
        """The state after one step, in the same chart."""
        self.length = h
        return super().step(t, q, v, h)

    def stages(self, t: float, q: Floats, v: Floats, h: float, tableau: Tableau) -> tuple[State, Floats]:
        """The state after one step, and the stages' rates."""
        self.length = h
        return super().stages(t, q, v, h, tableau)

    def gives_way(self, body: Body, q: Floats, force: Floats) -> Floats:
        """The direction against a friction force, in the axes of frame 1c: where a contact will slip that gives way."""
        along = -towards(q[body.q][4]) @ force[:2]
        return np.asarray(along / np.linalg.norm(along))

    # -- forces --------------------------------------------------------------------------------------------------------

    def _rows(self, t: float, lifted: Lifted) -> Floats:
        """The Jacobian of constraints in terms of the released model, made once for a state."""
        if self._known is None or self._known[0] is not lifted:
            self._known = lifted, np.asarray(self.released.constraint_jacobian(lifted.q, t=t), dtype=float)
        return self._known[1]

    def wrenches(self, t: float, q: Floats, v: Floats, solved: Solved) -> dict[str, Floats]:
        """The wrench that each contact passes to its body, in the body's frame."""
        if not self.free.touching:
            return {}
        lifted, model = solved.lifted, self.model
        needed = np.asarray(self.inverse(lifted.q, lifted.v, self.free.raised(lifted, solved.a)))
        lacking = needed - solved.applied  # [PAK eq. 14]
        if self.multipliers:
            y = np.asarray(self.multipliers(q, v, solved.tau, *model.clock(t)))
            lacking = lacking + self._rows(t, lifted).T @ y
        return {own.name: lacking[free.v] for own, free in self.free.touching}


def towards(psi: float) -> Floats:
    """Tangents of frame 2c seen in frame 1c [PAK eq. 10]."""
    return np.array(towards_first(float(psi)), dtype=float)
