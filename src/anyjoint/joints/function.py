"""A joint of one's own: any plain function from coordinates to a pose."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from anyjoint.errors import InputError, JointError
from anyjoint.frozen import frozen
from anyjoint.geometry.check import EVERYWHERE, check_intervals
from anyjoint.options import named_options
from anyjoint.scalar import Scalar, at_numbers, definition, user_code
from anyjoint.spatial import Pose

from .joint import Coordinate, Joint, check_count


@frozen
class FunctionJoint(Joint):
    """The joint of `@aj.joint(dof=n)`: Q is what the function returns, a Pose, a 4x4 matrix or (R, p) of scalars."""

    function: Callable[..., Any]
    coordinate_list: tuple[Coordinate, ...]

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        return self.coordinate_list

    @property
    def name(self) -> str:
        """What messages call it: the function's name."""
        return f"joint function {function_name(self.function)}"

    @property
    def described(self) -> str:
        """The name and where the function was written."""
        return _place(self.name, self.function)

    def pose(self, q: Sequence[Scalar]) -> Pose:
        with user_code(self.name, self.function, q):
            result = self.function(as_array(q))
        return as_pose(result, self.described, q)

    def __call__(self, q: Sequence[Scalar] = ()) -> Any:
        if not hasattr(q, "__len__") or len(q) != self.nq:
            raise InputError(
                f"{self.described} takes a list of its {self.nq} coordinates, got {q!r}; it is a joint already, so"
                " give it to add_body without calling it"
            )
        return self.function(as_array(q))


def function_name(function: Any) -> str:
    """The name of a function, or the type of another thing that can be called."""
    return str(getattr(function, "__name__", type(function).__name__))


def as_array(q: Sequence[Scalar]) -> np.ndarray[Any, np.dtype[Any]]:
    """Coordinates as an array, so that `2 * q` and `np.sin(q)` mean the same for numbers and for expressions."""
    if all(isinstance(x, float) for x in q):
        return np.array(q, dtype=float)
    made = np.empty(len(q), dtype=object)
    made[:] = list(q)
    return made


def as_pose(result: Any, name: str, q: Sequence[Scalar]) -> Pose:
    """What a joint's function returned, as a Pose."""
    if isinstance(result, Pose):
        return result
    shapes = [_shape(item) for item in result] if isinstance(result, (tuple, list)) else []
    try:
        if shapes == [(3, 3), (3,)]:
            return Pose.from_rotation(result[0], tuple(result[1]))
        if _shape(result) == (4, 4):
            return Pose.from_matrix(result)
    except InputError as error:
        raise JointError(f"{name}{at_numbers(q)}: {error}") from error
    forgotten = "; is a `return` missing?" if result is None else ""
    raise JointError(
        f"{name} returned {_described(result, shapes)}; expected an aj.Pose, a 4x4 matrix, or (R, p): "
        f"a 3x3 rotation and three numbers{forgotten}"
    )


def _place(name: str, function: Any) -> str:
    place = definition(function)
    return f"{name} ({place})" if place else name


def _shape(thing: Any) -> tuple[int, ...] | None:
    """The shape of nested sequences of scalars; None for what has none."""
    try:
        return None if thing is None or isinstance(thing, (str, Pose)) else np.shape(thing)
    except ValueError:  # ragged
        return None


def _described(result: Any, shapes: Sequence[tuple[int, ...] | None]) -> str:
    kind = type(result).__name__
    if result is None or not hasattr(result, "__len__") or isinstance(result, (str, dict)):
        return "None" if result is None else f"a {kind}"
    whole = _shape(result)
    inside = ", ".join("something else" if s is None else f"shape {s}" for s in shapes[:4])
    return f"a {kind} of shape {whole}" if whole is not None else f"a {kind} of {len(result)}: {inside}"


EXAMPLES = {"name": '["angle"]', **dict.fromkeys(("domain", "defined", "limits"), "[(-1.0, 1.0)]")}


@named_options
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
) -> Callable[[Callable[..., Any]], FunctionJoint]:
    """Decorator that makes a joint of a function of `dof` coordinates; no derivatives are wanted.

    >>> import anyjoint as aj
    >>> @aj.joint(dof=1)
    ... def screw(q):
    ...     return aj.Pose.rotation_z(q[0]) @ aj.Pose.translation(0, 0, 0.02 * q[0])

    The function gets an array of coordinates and returns an `aj.Pose`, a 4x4 matrix, or (R, p): a rotation matrix and
    an origin. It is ordinary Python with `aj.sin`, `aj.sqrt`, ... or `np.sin`, ...; for cases, `aj.select`.

    The other arguments list one entry per coordinate: where the joint is meant to be used and where checks sample
    (`domain`), outside of which interval the function means nothing (`defined`, None for nowhere), after how much it
    repeats (`period`; `wrap=True` takes whole periods off during simulation), a regular start (`neutral`), where it may
    go (`limits`).
    """
    if callable(dof):
        raise InputError(
            f"{_place('@aj.joint above ' + function_name(dof), dof)} does not say how many coordinates the joint has; "
            f"write @aj.joint(dof=1), or as many as the function uses"
        )
    if not isinstance(dof, int) or isinstance(dof, bool) or dof < 0:
        raise InputError(f"joint(dof={dof!r}): expected the number of coordinates, a whole number from 0 to 6")
    check_count("joint", dof)
    options: dict[str, Sequence[Any] | None] = {
        "name": names, "domain": domain, "period": period, "neutral": neutral, "limits": limits,
        "defined": _all(defined),
    }  # fmt: skip
    given = {key: values for key, values in options.items() if values is not None}
    for key, values in given.items():
        if not isinstance(values, (list, tuple, np.ndarray)) or len(values) != dof:
            raise InputError(
                f"joint(dof={dof}): {key}={values!r}; expected a list with one entry per coordinate, "
                f"such as {EXAMPLES.get(key, '[0.0]')} for dof=1"
            )
    made = []
    for k in range(dof):
        own: dict[str, Any] = {"name": f"q{k}"} | {key: values[k] for key, values in given.items()}
        used = own.get("domain", Coordinate.domain)
        check_intervals("joint", used, own.get("defined", EVERYWHERE))
        lo, hi = used
        own.setdefault("neutral", 0.0 if lo <= 0 <= hi else (lo + hi) / 2)
        made.append(Coordinate(**own, wrap=wrap and own.get("period") is not None))
    return lambda function: FunctionJoint(_reachable(_called(function)), tuple(made))


def _all(defined: Any) -> Any:
    """Intervals where something is defined, with None for everywhere."""
    return [EVERYWHERE if x is None else x for x in defined] if isinstance(defined, (list, tuple)) else defined


def _called(function: Callable[..., Any]) -> Callable[..., Any]:
    if not callable(function) or isinstance(function, (type, Joint)):
        raise InputError(f"aj.joint makes a joint of a function of coordinates, got {function!r}; write def f(q): ...")
    return function


def _reachable(function: Callable[..., Any]) -> Callable[..., Any]:
    """A decorated function gives its name to the joint and is found behind it, which lets it be pickled."""
    name = getattr(function, "__qualname__", "")
    if name.isidentifier() and getattr(function, "__globals__", {}).get(name) is not function:
        function.__qualname__ = f"{name}.function"
    return function
