"""Steps under contacts as they are seen from their true middle.

A step is first seen from where velocities at its beginning lead to in half of it. Joints that accelerate have come
further by then, by a quarter of h^2 a. Where that matters the step is solved once more from there, (q + q')/2, or
joints that whip about would gain energy in the air, as much as they have within some steps. Gaps stay as they were seen
first, beside rates that count for a whole step: contacts would take what their own forces do for a way that bends.

Free bodies, and what hinges and slides on the ground, stay where they are seen: inertia does not know where they are.
So do other joints whose rates are not their velocities: the two halves of a step of a ball joint, along velocities
before and after, turn about other axes, and do not add up to a turn about the mean of both, which is as large an error
as the one that is taken away here. What that makes of energy is taken out otherwise (`kept_energy.py`).
"""

from __future__ import annotations

from collections.abc import Sequence

from anyjoint.codegen import Array, Schedule
from anyjoint.codegen.builder import Builder, Embedded, Values
from anyjoint.joints import Prismatic, Revolute, Translational
from anyjoint.mechanism import Mechanism
from anyjoint.scalar import Scalar, less, maximum, minimum, select

GAPS_SEEN = "kept"  # the row that says whether gaps were seen before
GOES_FROM = "seen"  # the row of coordinates from which both halves of the step go
NEAR = 1e-4  # rad or m: what is as near to where it is seen is there


def goes_on(mechanism: Mechanism) -> bool:
    """Whether a mechanism has joints that may be elsewhere."""
    return bool(_ranges(mechanism))


def from_true_middle(mechanism: Mechanism, once: Schedule, inputs: Sequence[str]) -> Schedule:
    """A schedule that solves a step, made again from where its accelerations lead to."""
    builder = Builder((*(Array(name, "row") for name in (*inputs, "result")), Array("numbers", "uniform")))
    second = _Second(builder, mechanism)
    second.begin()
    start = len(builder.runs)
    given = {name: builder.place(name) for name in (*inputs, "result")}
    rows = {"q": second.q, GAPS_SEEN: second.at["kept"], GOES_FROM: second.given}
    Embedded(builder, once, ("q", GAPS_SEEN)).call(given | rows)
    second.decide()
    second.go()
    builder.repeat(start, second.at["share"], "passes", 2)
    return builder.schedule()


class _Second:
    """Adds what leads to the second solution."""

    def __init__(self, builder: Builder, mechanism: Mechanism) -> None:
        self.builder, self.nq, self.ranges = builder, mechanism.nq, _ranges(mechanism)
        self.given, self.a, self.h = (builder.place(name) for name in ("q", "result", "h"))
        self.q = builder.room(mechanism.nq)
        # Whether gaps were seen before; how far to go of all the way, if at all; the square of the way.
        self.at = {name: builder.room(1) for name in ("kept", "share", "far")}

    def begin(self) -> None:
        """Where the step is seen from first."""
        self.builder.clear(1, *self.at.values())
        self.builder.copy(self.nq, self.given, self.q)

    def decide(self) -> None:
        """Once more, if the middle is elsewhere."""
        square = lambda x: {"far": way(x["h"], x["a"]) * way(x["h"], x["a"])}  # noqa: E731
        for _, v, count in self.ranges:
            to = {"far": self.at["far"]}
            self.builder.pointwise(count, {"a": self.a.at(v)}, {"h": self.h}, to, square, accumulate=True)

        def decide(x: Values) -> dict[str, Scalar]:
            return {"share": select(less(0.0, x["kept"]), 0.0, share_of(x["far"], NEAR)), "kept": 1.0}

        self.builder.pointwise(1, self.at, {}, {name: self.at[name] for name in ("share", "kept")}, decide)

    def go(self) -> None:
        """To the middle that accelerations lead to."""

        def further(x: Values) -> dict[str, Scalar]:
            return {"q": select(less(0.0, x["share"]), x["given"] + x["share"] * way(x["h"], x["a"]), x["q"])}

        for q, v, count in self.ranges:
            moved = {"a": self.a.at(v), "given": self.given.at(q), "q": self.q.at(q)}
            self.builder.pointwise(count, moved, {"h": self.h, "share": self.at["share"]}, {"q": moved["q"]}, further)


def way(h: Scalar, a: Scalar) -> Scalar:
    """From where velocities at the beginning lead to in half a step to the middle between its ends."""
    return 0.25 * h * h * a


def share_of(far: Scalar, near: float) -> Scalar:
    """What share of a way counts, whose square is given: none up to `near`, all from 1.4 times that on."""
    return minimum(maximum(far / (near * near) - 1, 0.0), 1.0)


def _ranges(mechanism: Mechanism) -> list[tuple[int, int, int]]:
    """Where coordinates and velocities of joints that stand behind each other begin, and how many there are."""
    made: list[tuple[int, int, int]] = []
    for body in mechanism.bodies:
        known = body.parent < 0 and isinstance(body.joint, (Revolute, Prismatic, Translational))
        if known or not body.joint.nv or not body.joint.rates_are_velocities:
            continue
        q, v, count = made[-1] if made else (0, 0, 0)
        if made and (q + count, v + count) == (body.q.start, body.v.start):
            made[-1] = q, v, count + body.joint.nv
        else:
            made.append((body.q.start, body.v.start, body.joint.nv))
    return made
