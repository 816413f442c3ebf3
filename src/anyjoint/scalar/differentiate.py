"""derivative and jet: what physics asks for when it needs the derivative of somebody's function.

Graph nodes answer by D* (their class brings the methods), plain numbers by nested dual numbers.
"""

from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

from .dual import Dual
from .functions import Scalar

Nested = Any  # a scalar, or nested sequences or arrays of scalars
Jet = tuple[list[Scalar], list[list[Scalar]], list[Scalar]]  # values, partial derivatives, second derivatives along v


def map_nested(function: Callable[[Scalar], Scalar], tree: Nested) -> Nested:
    """Apply a function to every scalar of nested lists and tuples (arrays become lists)."""
    if isinstance(tree, (list, tuple)) or (hasattr(tree, "__array_interface__") and tree.ndim > 0):
        return [map_nested(function, item) for item in tree]
    return function(tree)


_levels = count(1)  # fresh for every differentiation: x may be a plain number while f closes over duals


def derivative(f: Callable[[Scalar], Nested], x: Scalar) -> Nested:
    """df/dx at x; f returns a scalar or nested sequences of scalars, and so does this."""
    if hasattr(x, "differentiate_along"):
        return x.differentiate_along(f)
    level = next(_levels)
    return map_nested(lambda y: _slope(y, level), f(Dual(x, 1.0, level)))


def jet(f: Callable[[Sequence[Scalar]], Sequence[Scalar]], q: Sequence[Scalar], v: Sequence[Scalar]) -> Jet:
    """f(q), its partial derivatives (a list per coordinate) and its second derivative along v."""
    for x in (*q, *v):
        if hasattr(x, "jet"):
            return x.jet(f, list(q), list(v))  # type: ignore[no-any-return]
    level, above = next(_levels), next(_levels)
    partials = []
    for j in range(len(q)):
        y = f([Dual(x, 1.0 if k == j else 0.0, level) for k, x in enumerate(q)])
        partials.append([_slope(item, level) for item in y])
    moving = [Dual(Dual(x, s, level), Dual(s, 0.0, level), above) for x, s in zip(q, v, strict=True)]
    second = [_slope(_slope(item, above), level) for item in f(moving)]
    return list(f(list(q))), partials, second


def _slope(y: Scalar, level: int) -> Scalar:
    return y.slope if isinstance(y, Dual) and y.level == level else 0.0
