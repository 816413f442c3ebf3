"""Twists and wrenches as 6-vectors, angular part first, in the body's own frame; over any scalar.

Vectors are object arrays: entries that are exactly 0 stay Python numbers and vanish from generated code.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from anyjoint.scalar import Scalar

Vector = np.ndarray[Any, np.dtype[Any]]
Matrix = np.ndarray[Any, np.dtype[Any]]
Scalars = Sequence[Scalar] | Vector


def vector(*entries: Scalar) -> Vector:
    """An object array of scalars."""
    out = np.empty(len(entries), dtype=object)
    out[:] = entries
    return out


def zeros(*shape: int) -> Vector:
    """An object array of exact zeros."""
    return np.zeros(shape, dtype=object)


def cross(a: Scalars, b: Scalars) -> Vector:
    """a x b."""
    return vector(a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def dot(a: Scalars, b: Scalars) -> Scalar:
    """a . b, skipping nothing: exact zeros fold in the scalar layer."""
    total: Scalar = 0
    for x, y in zip(a, b, strict=True):
        total = total + x * y
    return total


def plus_dot(start: Scalar, a: Scalars, b: Scalars) -> Scalar:
    """start + a . b, product by product: as many operations as with the sum first, but each is fused with a sum."""
    for x, y in zip(a, b, strict=True):
        start = start + x * y
    return start


def minus_dot(start: Scalar, a: Scalars, b: Scalars) -> Scalar:
    """start - a . b, product by product."""
    for x, y in zip(a, b, strict=True):
        start = start - x * y
    return start


def minus_sum(start: Scalar, a: Scalars, b: Scalars) -> Scalar:
    """start - a . b, the sum first: what is taken from several starts is computed once."""
    return start - dot(a, b)


def dot_in_pairs(a: Scalars, b: Scalars) -> Scalar:
    """a . b as a balanced sum: as many operations, fewer of them waiting for each other."""
    terms = [x * y for x, y in zip(a, b, strict=True)]
    while len(terms) > 1:
        pairs = [x + y for x, y in zip(terms[::2], terms[1::2], strict=False)]
        terms = pairs + terms[2 * len(pairs) :]
    return terms[0]


def skew(a: Scalars) -> Matrix:
    """The matrix [a] with [a] b = a x b."""
    out = zeros(3, 3)
    out[0, 1], out[0, 2] = -a[2], a[1]
    out[1, 0], out[1, 2] = a[2], -a[0]
    out[2, 0], out[2, 1] = -a[1], a[0]
    return out


def ad(a: Vector, b: Vector) -> Vector:
    """The bracket of two twists, ad_a b [SG eq. 3, RM eq. 8]."""
    return np.concatenate([cross(a[:3], b[:3]), cross(a[3:], b[:3]) + cross(a[:3], b[3:])])


def ad_dual(a: Vector, f: Vector) -> Vector:
    """ad*_a f = ad_a^T f of a wrench [SG section 3]."""
    return np.concatenate([cross(f[:3], a[:3]) + cross(f[3:], a[3:]), cross(f[3:], a[:3])])
