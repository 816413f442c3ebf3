"""Steps in one combination of modes: friction of sliding contacts, and the forces that contacts pass.

Everything applied from outside is known to the released model, in which all contact bodies are free; its velocities are
v_r = N v. The wrench that a contact passes is what its equations lack: f = M a + bias - applied forces [PAK eq. 14].
Accelerations and normal forces are affine in the friction of sliding contacts, so that Coulomb's law is a small system
of linear equations for the normal forces n = n0 + n1 (mu n).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from anyjoint.joints.wandering import towards_first
from anyjoint.mechanism import Body
from anyjoint.mechanism.contact import SLIDING

from ..python_step import PythonStepper
from .impulse import Jammed
from .lift import Lift, Lifted

if TYPE_CHECKING:
    from anyjoint.model import Model
    from anyjoint.stepper import Stepper

    from ..drive import Drive

Floats = np.ndarray[Any, np.dtype[Any]]
CREEP = 1e-10  # m/s: slip so slow that its direction is the one that it began with


@dataclass(frozen=True)
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
        self, model: Model, released: Model, drive: Drive, stepper: Stepper, quantities: Sequence[Any]
    ) -> None:
        super().__init__(model, drive, stepper, quantities=quantities)
        self.released, self.free = released, Lift(model, released)
        self.idle = not (drive.values.any() or drive.callback or (drive.forces and drive.forces.torques))
        self.inverse = released.program("inverse_dynamics")
        self.rough = [own for own, _ in self.free.touching if own.contact and own.contact.mode == SLIDING and own.contact.friction > 0]
        self.slips: dict[str, Floats] = {}

    # -- accelerations -----------------------------------------------------------------------------------------------

    def accelerate(self, t: float, q: Floats, v: Floats) -> tuple[Floats, float]:
        """dv/dt with friction, and the power of inputs, forces, friction and dampers."""
        if self.idle and not self.rough:
            a = np.asarray(self.forward(q, v, np.zeros(self.model.nv), *self.model.clock(t)))
            return a, -float(self.damping @ (v * v))
        solved = self.solve(t, q, v)
        return solved.a, solved.power

    def solve(self, t: float, q: Floats, v: Floats) -> Solved:
        """Accelerations that obey Coulomb's law at sliding contacts."""
        lifted, clock = self.free.lift(q, v), self.model.clock(t)
        applied = np.zeros(self.released.nv) if self.idle else self.drive.torque(t, lifted.q, lifted.v)
        tau = self.free.lowered(lifted, applied)
        a = np.asarray(self.forward(q, v, tau, *clock))
        if self.rough:
            unit = np.array([self._friction(body, q, v) for body in self.rough])
            ways = [np.asarray(self.forward(q, v, tau + push, *clock)) - a for push in unit]
            base = Solved(lifted, a, tau, applied, 0.0)
            size = self._sizes(t, q, v, base, unit, ways)
            tau, a = tau + size @ unit, a + size @ np.array(ways)
        return Solved(lifted, a, tau, applied, float((tau - self.damping * v) @ v))

    def _sizes(
        self, t: float, q: Floats, v: Floats, base: Solved, unit: Floats, ways: Sequence[Floats]
    ) -> Floats:
        """How large friction is at each sliding contact."""
        names = [body.name for body in self.rough]
        mu = np.array([body.contact.friction for body in self.rough if body.contact])
        n0 = self._normals(t, q, v, base, names)
        moved = (Solved(base.lifted, base.a + way, base.tau + push, base.applied, 0.0)
                 for push, way in zip(unit, ways, strict=True))  # fmt: skip
        n1 = np.array([self._normals(t, q, v, solved, names) - n0 for solved in moved]).T
        system = np.eye(len(mu)) - n1 * mu
        if not np.isfinite(system).all():
            return np.full(len(mu), np.nan)
        if np.linalg.eigvals(system).real.min() <= 0:
            worst = names[int(np.argmin(np.diag(system)))]
            raise Jammed(
                f"jammed (Painleve): at the contact of {worst!r} friction presses the body onto its parent harder than "
                "the contact can push back; no motion of rigid bodies goes on from here. Lower the friction"
            )
        return np.asarray(mu * np.linalg.solve(system, n0))

    def _normals(self, t: float, q: Floats, v: Floats, solved: Solved, names: Sequence[str]) -> Floats:
        wrenches = self.wrenches(t, q, v, solved)
        return np.array([solved.lifted.frame(name).force(wrenches[name])[2] for name in names])

    def _friction(self, body: Body, q: Floats, v: Floats) -> Floats:
        """Generalized forces of one newton of friction against the slip.

        Where slip has turned round within a step, friction goes on as before, so that the end of slip can be located.
        """
        begun = self.slips[body.name]
        slip = self.slip(body, q, v) + CREEP * begun
        size = float(np.linalg.norm(slip)) or CREEP
        against = slip / size * (1.0 if slip @ begun < 0 else -1.0)
        push = np.zeros(self.model.nv)
        push[body.v.start + 3 : body.v.stop] = _towards_first(q[body.q][4]).T @ against
        return push

    def slip(self, body: Body, q: Floats, v: Floats) -> Floats:
        """The slip of a sliding contact, in the axes of the parent's frame 1c, which does not spin with the body."""
        return np.asarray(_towards_first(q[body.q][4]) @ v[body.v][3:])

    def begin(self, q: Floats, v: Floats, pushed: Mapping[str, Floats]) -> None:
        """Take the present directions of slip as those that steps begin with; `pushed` are those of slips yet to come.

        Directions of contacts that hardly slip stay what they were.
        """
        for body in self.rough:
            slip = self.slip(body, q, v)
            size = float(np.linalg.norm(slip))
            if body.name in pushed:
                self.slips[body.name] = pushed[body.name]
            elif size > CREEP or body.name not in self.slips:
                self.slips[body.name] = slip / size if size > 0 else np.array([1.0, 0.0])

    def towards(self, body: Body, q: Floats, force: Floats) -> Floats:
        """The direction against a friction force, in the axes of frame 1c: where a contact will slip that gives way."""
        along = -_towards_first(q[body.q][4]) @ force[:2]
        return np.asarray(along / np.linalg.norm(along))

    # -- forces --------------------------------------------------------------------------------------------------------

    def wrenches(self, t: float, q: Floats, v: Floats, solved: Solved) -> dict[str, Floats]:
        """The wrench that each contact passes to its body, in the body's frame."""
        if not self.free.touching:
            return {}
        lifted, model = solved.lifted, self.model
        lacking = np.asarray(self.inverse(lifted.q, lifted.v, self.free.raised(lifted, solved.a))) - solved.applied
        if model.mechanism.constraints:
            y = np.asarray(model.constraint_multipliers(q, v, tau=solved.tau, t=t), dtype=float)
            lacking = lacking + np.asarray(self.released.constraint_jacobian(lifted.q, t=t), dtype=float).T @ y
        return {own.name: lacking[free.v] for own, free in self.free.touching}


def _towards_first(psi: float) -> Floats:
    """Tangents of frame 2c seen in frame 1c [PAK eq. 10]."""
    return np.array(towards_first(float(psi)), dtype=float)
