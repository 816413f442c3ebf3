"""From one combination of modes to the next: state maps, impacts, and the modes that forces agree with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from anyjoint.errors import AnyjointError
from anyjoint.mechanism import Body
from anyjoint.mechanism.contact import FLIGHT, ROLLING, SLIDING, contact_bodies
from anyjoint.scalar.array import Floats

from ..zeno import shortest_bounce
from .collision import Collision, collision
from .joining import Frame
from .nearest import Near, Nearest
from .records import Impact, ModeChange
from .stepper import ModeStepper, Solved

if TYPE_CHECKING:
    from anyjoint.model import Model

    from ..request import Request

SAME = 1e-6  # of places and velocities, before and after a change of modes
STILL = 1e-10  # m/s: slip that is none
PULL = 1e-10  # share of the weight by which a contact may pull, or friction exceed its limit, by rounding
SLOW = 1e-2  # m/s: only bounces below that may be too short to follow


class NoMode(AnyjointError):
    """No combination of modes agrees with the forces that it leads to."""


@dataclass
class Situation:
    """Where a run stands: a state in its modes, the nearest points of flying bodies, and slips that are yet to come."""

    t: float
    stepper: ModeStepper
    q: Floats
    v: Floats
    near: dict[str, Near] = field(default_factory=dict)
    pushed: dict[str, Floats] = field(default_factory=dict)

    @property
    def modes(self) -> dict[str, str]:
        """The modes by contact body."""
        return self.stepper.model.modes

    def forces(self) -> tuple[Solved, dict[str, Floats]]:
        """Accelerations, and what contacts pass in the axes of their frames: friction, then normal force."""
        self.stepper.begin(self.q, self.v, self.pushed)
        solved = self.stepper.solve(self.t, self.q, self.v)
        wrenches = self.stepper.wrenches(self.t, self.q, self.v, solved)
        return solved, {name: solved.lifted.frame(name).force(f) for name, f in wrenches.items()}


class Switchboard:
    """Knows the models of all modes, and how to go from one to another."""

    def __init__(self, model: Model, request: Request) -> None:
        self.model, self.request = model, request
        self.released: Model = request.model
        self.bodies: dict[str, Body] = {body.name: body for body in contact_bodies(self.released.mechanism)}
        self.nearest: dict[str, Nearest] = {}
        self.steppers: dict[tuple[str, ...], ModeStepper] = {}
        self.steps = 0  # taken so far
        weight = sum(body.inertia.mass for body in self.released.mechanism.bodies)
        # Forces below that are none: two bodies that fall side by side touch and do not press.
        self.slack = PULL * weight * (float(np.linalg.norm(self.released.mechanism.gravity)) or 1.0)

    def stepper(self, modes: Mapping[str, str]) -> ModeStepper:
        """The stepper of a combination of modes; its model is compiled when first entered."""
        key, request = tuple(modes.values()), self.request
        if key not in self.steppers:
            model = self.model.in_modes(modes)
            self.steppers[key] = ModeStepper(
                model, self.released, request.drive, request.stepper, request.quantities
            )
        return self.steppers[key]

    def kinetic(self, now: Situation) -> float:
        """Kinetic energy."""
        lifted = now.stepper.free.lift(now.q, now.v)
        return float(self.released.energy(lifted.q, lifted.v)[0])

    def check_same(self, before: Situation, after: Situation) -> None:
        """Refuse a change of modes without impact that has changed places or momentum by more than rounding."""
        a, b = (x.stepper.free.lift(x.q, x.v) for x in (before, after))
        off = float(np.abs(a.v - b.v).max()) / (1.0 + float(np.abs(a.v).max()))
        away = float(np.abs(self._places(a.q) - self._places(b.q)).max())
        if off > SAME or away > SAME:
            raise NoMode(f"a change of modes moved bodies by {away:.1g} m and velocities by {off:.1g}")

    def _places(self, q: Floats) -> Floats:
        return np.asarray(self.released.body_poses(q), dtype=float)

    # -- nearest points ---------------------------------------------------------------------------------------------

    def points(self, name: str, q: Floats, before: Near | None) -> Near | None:
        """The nearest points of a flying body at coordinates of the released model, followed from those before."""
        nearest, pose = self._nearest(name), pose_of(q[self.bodies[name].q])
        found = nearest.follow(before.x, *pose) if before else None
        return found or nearest.search(*pose)

    def reach(self, name: str) -> float:
        """How far points of a body's surface are from its origin, at most."""
        return self._nearest(name).reach

    def overlap(self, name: str, q: Floats) -> float:
        """How deep a touching body overlaps its parent at another point."""
        nearest = self._nearest(name)
        return 0.0 if nearest.round else nearest.overlap(*pose_of(q[self.bodies[name].q]))

    def _nearest(self, name: str) -> Nearest:
        if name not in self.nearest:
            law = self.bodies[name].contact
            assert law is not None
            self.nearest[name] = Nearest(*law.surfaces)
        return self.nearest[name]

    def frame(self, name: str, near: Near) -> Frame:
        """The contact frame on a body at its nearest point."""
        frame = self.nearest[name].surfaces[1].frame(float(near.x[2]), float(near.x[3]))
        return Frame(np.array(frame.R, dtype=float), np.array(frame.p, dtype=float))

    def frames(self, now: Situation, names: list[str]) -> dict[str, Frame]:
        """Contact frames of touching bodies, and of flying ones at their nearest points."""
        lifted = now.stepper.free.lift(now.q, now.v)
        return {x: lifted.frame(x) if x in lifted.touches else self.frame(x, now.near[x]) for x in names}

    # -- state maps -------------------------------------------------------------------------------------------------

    def enter(self, now: Situation, changes: Mapping[str, str], v: Floats | None = None) -> Situation:
        """The same poses and twists in other modes; `v` are velocities of the released model after an impact.

        A body that begins to touch takes the coordinates of its nearest points, and loses what speed of separation
        and, if it rolls, of slip is left by rounding.
        """
        lifted = now.stepper.free.lift(now.q, now.v)
        v = lifted.v if v is None else v
        stepper = self.stepper(now.modes | dict(changes))
        stepper.slips.clear()  # of an earlier stay in these modes
        new_q, new_v = np.empty(stepper.model.nq), np.empty(stepper.model.nv)
        (own_q, free_q), (own_v, free_v) = stepper.free.same_q, stepper.free.same_v
        new_q[own_q], new_v[own_v] = lifted.q[free_q], v[free_v]
        for own, free in stepper.free.touching:
            touched = own.name in lifted.touches
            at = now.q[now.stepper.model.mechanism[own.name].q] if touched else now.near[own.name].coordinates
            frame = lifted.frame(own.name) if touched else self.frame(own.name, now.near[own.name])
            new_q[own.q], new_v[own.v] = at, frame.rates(v[free.v])[: own.joint.nv]
        near = {name: x for name, x in now.near.items() if stepper.model.modes[name] == FLIGHT}
        pushed = {name: x for name, x in now.pushed.items() if stepper.model.modes[name] == SLIDING}
        made = Situation(now.t, stepper, *stepper.settle(now.t, new_q, new_v), near, pushed)
        for name in stepper.model.modes:
            if stepper.model.modes[name] == FLIGHT and name not in near:
                made.near[name] = self._left(now, lifted.q, name)
        return made

    def _left(self, now: Situation, q: Floats, name: str) -> Near:
        """The nearest points of a body that has just left its parent: where it touched."""
        at = now.q[now.stepper.model.mechanism[name].q]
        here = Near(at[:4], 0.0, float(at[4]))
        return self.points(name, q, here) or here

    # -- impacts ----------------------------------------------------------------------------------------------------

    def impact(self, now: Situation, name: str, rests: bool) -> tuple[Situation, list[ModeChange], Impact]:
        """A body meets its parent: impulses of it and of all that touches, and the modes that they lead to.

        One that `rests` does so whatever speed is left.
        """
        lifted, modes = now.stepper.free.lift(now.q, now.v), now.modes
        frames = self.frames(now, [x for x in modes if x == name or modes[x] != FLIGHT])
        given = self.released, self.bodies, now.t, lifted.q, lifted.v, frames, name
        tired = {name} if rests else set[str]()  # contacts whose bounces are none
        while True:
            hit = collision(*given, tired, rests)
            held = {x: _held(*hit.of(x)[:2]) for x in hit.names}
            changes = {x: FLIGHT if hit.of(x)[1][2] > STILL else held[x] for x in hit.names}
            bounces = [x for x in hit.names if changes[x] == FLIGHT and x not in tired]
            found = {x for x in bounces if self._rests(now, changes | {x: held[x]}, hit, x)}
            if not found:
                break
            tired |= found
        before, after, _ = hit.of(name)
        met = f"{max(0.0, -before[2]):.4g} m/s"
        said = f"bounced: {met}, then {after[2]:.4g} m/s" if changes[name] == FLIGHT else f"touched at {met}"
        records = [
            ModeChange(now.t, x, f"{modes[x]} -> {changes[x]}", said if x == name else f"struck as {name!r} touched")
            for x in hit.names
            if x == name or changes[x] != modes[x]
        ]
        return self.enter(now, changes, hit.v), records, hit.record

    def _rests(self, now: Situation, changes: Mapping[str, str], hit: Collision, name: str) -> bool:
        """Whether a bounce is too short to follow: the force that would hold the body down takes its speed at once."""
        _, after, ease = hit.of(name)
        first = self.request.stepper.order == 1
        if after[2] > SLOW and not first:
            return False
        _, forces = self.enter(now, changes, hit.v).forces()
        pace, twist = forces[name][2] * ease, hit.v[self.bodies[name].v]
        if first:  # such steps do not tell how velocities turn in the axes of the body from how they change
            pace += float(np.linalg.norm(np.cross(twist[:3], twist[3:])))
        return bool(2 * after[2] < pace * shortest_bounce(self.request))

    # -- modes that forces agree with -------------------------------------------------------------------------------

    def settled(self, now: Situation) -> tuple[Situation, list[ModeChange]]:
        """The situation in modes that agree with the forces at it, going from one to the next; and what changed."""
        seen: list[dict[str, str]] = []
        records: list[ModeChange] = []
        while True:
            found = self._disagreement(now)
            if found is None:
                return now, records
            name, mode, reason = found
            records.append(ModeChange(now.t, name, f"{now.modes[name]} -> {mode}", reason))
            if now.modes in seen and len(seen) > 4 * len(self.bodies):
                raise NoMode(f"no mode of {name!r} agrees with the forces that it leads to, at t = {now.t:.6g} s")
            seen.append(now.modes)
            now = self.enter(now, {name: mode})

    def _disagreement(self, now: Situation) -> tuple[str, str, str] | None:
        """The first contact that pulls, grips too hard, or would stick; its next mode and why."""
        if not now.stepper.free.touching:
            return None
        _, forces = now.forces()
        slack = max(self.slack, PULL * max(float(np.linalg.norm(f)) for f in forces.values()))
        for own, _ in now.stepper.free.touching:
            law, f = own.contact, forces[own.name]
            assert law is not None
            if f[2] < -slack:
                return own.name, FLIGHT, "normal force fell to 0"
            friction = float(np.hypot(f[0], f[1]))
            if law.mode == ROLLING and friction > law.friction * f[2] + slack:
                now.pushed[own.name] = now.stepper.gives_way(own, now.q, f)
                return own.name, SLIDING, "friction reached its limit"
            slow = law.mode == SLIDING and float(np.linalg.norm(now.v[own.v][3:])) < STILL
            if slow and law.friction > 0 and own.name not in now.pushed:
                return own.name, ROLLING, "slip ended"
        return None


def _held(before: Floats, after: Floats) -> str:
    """The mode of a contact that stays closed: it slides if it slips."""
    return SLIDING if float(np.hypot(after[0], after[1])) > STILL + 1e-12 * float(np.abs(before).max()) else ROLLING


def pose_of(q: Floats) -> tuple[Floats, Floats]:
    """Rotation and place of a free body by its quaternion and position."""
    w, x, y, z = q[:4] / np.linalg.norm(q[:4])
    R = np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])  # fmt: skip
    return R, q[4:7]
