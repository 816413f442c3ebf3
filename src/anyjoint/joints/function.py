"""A joint of one's own: any plain function from coordinates to a pose."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from anyjoint.errors import InputError
from anyjoint.scalar import Scalar
from anyjoint.spatial import Pose

from .joint import Coordinate, Joint


@dataclass(frozen=True)
class FunctionJoint(Joint):
    """The joint of `@aj.joint(dof=n)`: the function returns a Pose or a 4x4 matrix of scalars."""

    function: Callable[[Sequence[Scalar]], Any]
    coordinate_list: tuple[Coordinate, ...]

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        return self.coordinate_list

    def pose(self, q: Sequence[Scalar]) -> Pose:
        result = self.function(q)
        return result if isinstance(result, Pose) else Pose.from_matrix(result)

    def __call__(self, q: Sequence[Scalar]) -> Any:
        return self.function(q)


def joint(
    dof: int,
    *,
    names: Sequence[str] | None = None,
    domain: Sequence[tuple[float, float]] | None = None,
    period: Sequence[float | None] | None = None,
    neutral: Sequence[float] | None = None,
) -> Callable[[Callable[[Sequence[Scalar]], Any]], FunctionJoint]:
    """Decorator that makes a joint of a function of `dof` coordinates; no derivatives are wanted."""
    if not isinstance(dof, int) or not 0 <= dof <= 6:
        raise InputError(f"joint(dof={dof!r}): a joint has 0 to 6 coordinates")
    made = []
    for k in range(dof):
        options: dict[str, Any] = {"name": names[k] if names else f"q{k}"}
        for key, given in (("domain", domain), ("period", period), ("neutral", neutral)):
            if given is not None:
                options[key] = given[k]
        made.append(Coordinate(**options))
    return lambda function: FunctionJoint(function, tuple(made))
