"""A joint of one's own: any plain function from coordinates to a pose."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from anyjoint.errors import InputError
from anyjoint.geometry.check import EVERYWHERE, check_intervals
from anyjoint.geometry.undefined import defined_at
from anyjoint.scalar import Scalar
from anyjoint.spatial import Pose

from .joint import Coordinate, Joint, check_count


@dataclass(frozen=True)
class FunctionJoint(Joint):
    """The joint of `@aj.joint(dof=n)`: Q is what the function returns, a Pose or a 4x4 matrix of scalars."""

    function: Callable[[Sequence[Scalar]], Any]
    coordinate_list: tuple[Coordinate, ...]

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        return self.coordinate_list

    @property
    def name(self) -> str:
        """The function's name, for messages."""
        return getattr(self.function, "__name__", type(self.function).__name__)

    def pose(self, q: Sequence[Scalar]) -> Pose:
        with defined_at(f"joint function {self.name}", q):
            return self._pose(q)

    def _pose(self, q: Sequence[Scalar]) -> Pose:
        result = self.function(q)
        if isinstance(result, Pose):
            return result
        try:
            return Pose.from_matrix(result)
        except InputError as error:
            raise InputError(f"joint function {self.name}: expected a Pose or a 4x4 matrix; {error}") from error

    def __call__(self, q: Sequence[Scalar]) -> Any:
        return self.function(q)


def joint(
    dof: int,
    *,
    names: Sequence[str] | None = None,
    domain: Sequence[tuple[float, float]] | None = None,
    period: Sequence[float | None] | None = None,
    neutral: Sequence[float] | None = None,
    limits: Sequence[tuple[float, float]] | None = None,
    defined: Sequence[tuple[float, float] | None] | None = None,
    wrap: bool = False,
) -> Callable[[Callable[[Sequence[Scalar]], Any]], FunctionJoint]:
    """Decorator that makes a joint of a function of `dof` coordinates; no derivatives are wanted.

    The other arguments list one entry per coordinate: where the joint is meant to be used and where checks sample
    (`domain`), outside of which interval the function means nothing (`defined`, None for nowhere), after how much it
    repeats (`period`; `wrap=True` takes whole periods off during simulation), a regular start (`neutral`), where it may
    go (`limits`).
    """
    if not isinstance(dof, int) or dof < 0:
        raise InputError(f"joint(dof={dof!r}): expected the number of coordinates, a whole number")
    check_count("joint", dof)
    options: dict[str, Sequence[Any] | None] = {
        "name": names, "domain": domain, "period": period, "neutral": neutral, "limits": limits,
        "defined": None if defined is None else [EVERYWHERE if x is None else x for x in defined],
    }  # fmt: skip
    given = {key: list(values) for key, values in options.items() if values is not None}
    for key, values in given.items():
        if len(values) != dof:
            raise InputError(f"joint(dof={dof}): {key} has {len(values)} entries, expected one per coordinate")
    made = []
    for k in range(dof):
        own: dict[str, Any] = {"name": f"q{k}"} | {key: values[k] for key, values in given.items()}
        lo, hi = own.get("domain", Coordinate.domain)
        check_intervals("joint", (lo, hi), own.get("defined", EVERYWHERE))
        own.setdefault("neutral", 0.0 if lo <= 0 <= hi else (lo + hi) / 2)
        made.append(Coordinate(**own, wrap=wrap and own.get("period") is not None))
    return lambda function: FunctionJoint(function, tuple(made))
