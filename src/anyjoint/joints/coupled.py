"""A joint whose coordinates are functions of another joint's: gears, mimic joints, lazy tongs [GL Fig. 5d]."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from anyjoint.errors import InputError
from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar, is_real, user_code
from anyjoint.spatial import Pose

from .joint import Coordinate, Joint


@frozen
class Coupled(Joint):
    """A joint with no coordinates of its own: `joint` moved by functions of the coordinates of the body `source`.

    `functions` is a number (a gear ratio: inner coordinate = ratio times the first of the source), one function from
    the source's coordinates to all inner coordinates, or one function or ratio per inner coordinate; `offset` is added
    to them. The source may itself follow another body, which was added before.
    """

    joint: Joint
    functions: Any
    source: str
    offset: float | tuple[float, ...] = 0.0

    def __post_init__(self) -> None:
        if not isinstance(self.joint, Joint) or isinstance(self.joint, Coupled):
            raise InputError(f"Coupled(joint={self.joint!r}): expected a joint with coordinates of its own")
        if not self.joint.rates_are_velocities:
            kind = type(self.joint).__name__
            raise InputError(
                f"Coupled({kind}): a joint whose velocities are no rates of coordinates cannot follow; instead of "
                "quaternions, use Spherical or Free"
            )
        source = getattr(self.source, "name", self.source)
        if not isinstance(source, str) or not source:
            raise InputError(f"Coupled(source={self.source!r}): expected the name of the body whose joint leads")
        object.__setattr__(self, "source", source)
        if isinstance(self.functions, (list, tuple)):
            object.__setattr__(self, "functions", tuple(self.functions))
            if len(self.functions) != self.joint.nq:
                given, wanted = len(self.functions), self.joint.nq
                raise InputError(f"Coupled: {given} functions for the {wanted} coordinates of the inner joint")
        offsets = self.offset if isinstance(self.offset, (list, tuple)) else (self.offset,) * self.joint.nq
        if len(offsets) != self.joint.nq or not all(is_real(x) and math.isfinite(x) for x in offsets):
            raise InputError(f"Coupled(offset={self.offset!r}): expected a finite number, or {self.joint.nq} of them")
        object.__setattr__(self, "offset", tuple(float(x) for x in offsets))
        for f in self.functions if isinstance(self.functions, tuple) else (self.functions,):
            if not callable(f) and not isinstance(f, (int, float)):
                raise InputError(f"Coupled(functions={f!r}): expected functions of the source's coordinates, or ratios")

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        return ()

    @property
    def follows(self) -> str:
        return self.source

    @property
    def inner(self) -> Joint:
        return self.joint

    def inner_coordinates(self, q_source: Sequence[Scalar]) -> list[Scalar]:
        """The inner joint's coordinates for those of the source."""
        with user_code(f"a function of the joint coupled to {self.source!r}", self.functions, q_source):
            made = self._inner(q_source)
        shifts: Any = self.offset
        return [x + shift if shift else x for x, shift in zip(made, shifts, strict=True)]

    def behind(self, leader: Coupled) -> Coupled:
        """The same joint as a function of the coordinates that its leader follows."""
        return Coupled(self.joint, Chain(leader, self), leader.source)

    def _inner(self, q_source: Sequence[Scalar]) -> list[Scalar]:
        if isinstance(self.functions, tuple):
            return [_applied(f, q_source) for f in self.functions]
        if not callable(self.functions):
            return [self.functions * q_source[0]]
        result = self.functions(q_source)
        made = list(result) if hasattr(result, "__len__") else [result]
        if len(made) != self.joint.nq:
            expected = f"{len(made)} numbers, the inner joint has {self.joint.nq} coordinates"
            raise InputError(f"Coupled to {self.source!r}: the function gave {expected}")
        return made

    def legs(self, q: Sequence[Scalar]) -> tuple[Pose, Pose]:
        raise InputError(
            f"a joint coupled to {self.source!r} has no pose of its own; "
            "ask coupled.joint.pose(coupled.inner_coordinates(q_source))"
        )


@frozen
class Chain:
    """A function that goes through the coordinates of a joint which follows another one."""

    first: Coupled
    then: Coupled

    def __call__(self, q_source: Sequence[Scalar]) -> list[Scalar]:
        return self.then.inner_coordinates(self.first.inner_coordinates(q_source))


def _applied(f: Any, q_source: Sequence[Scalar]) -> Scalar:
    return f(q_source) if callable(f) else f * q_source[0]
