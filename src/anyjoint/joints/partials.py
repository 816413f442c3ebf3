"""How a joint's twist and velocity products change along its own coordinates: what derivatives of dynamics ask of it.

A direction k says how coordinates go: by `rate` of a unit velocity, or one coordinate alone. Derivatives d_k are those
of numbers in the child's frame, the parent held, and are seen from the joint's working frame, as S and c are. Where
that frame moves on the child by S_B, d_k x = dx/dq_k - ad(S_B,k) x.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar, jet
from anyjoint.spatial import Matrix, Vector, ad, vector, zeros

from .product_rule import Motion, columns

Values = Sequence[Scalar]


@frozen
class Direction:
    """Rates of the coordinates, and the twists of the child and of leg B (backwards) that belong to them."""

    rates: Values
    twist: Vector
    leg: Vector


@frozen
class Partials:
    """Derivatives of a joint along m directions, in its working frame; s = S v is its twist."""

    along: Matrix  # (6, m): the twist of each direction; S itself where directions are velocities
    S: Matrix  # (6, n, m): d_k S_l at [:, l, k]
    twist: Matrix  # (6, m): d_k s
    bias: Matrix  # (6, m): d_k c + ad(s) d_k s, where c = Sdot v in the child's frame
    rate: Matrix  # (6, n): dc/dv_l + ad(s) S_l


def along_velocities(motion: Motion, rate: Callable[[Values, Values], Values], q: Values) -> list[Direction]:
    """The directions of the unit velocities."""
    n = motion.S.shape[1]
    units = [[1 if i == k else 0 for i in range(n)] for k in range(n)]
    return [Direction(rate(q, unit), motion.S[:, k], motion.S_B[:, k]) for k, unit in enumerate(units)]


def along_coordinates(legs: Motion) -> list[Direction]:
    """The directions of the coordinates; `legs` has their twists as its S."""
    m = legs.S.shape[1]
    return [
        Direction([1 if i == k else 0 for i in range(m)], legs.S[:, k], legs.S_B[:, k]) for k in range(m)
    ]


def joint_partials(
    motion_at: Callable[[Values, Values], Motion], q: Values, v: Values, directions: Sequence[Direction]
) -> Partials:
    """The derivatives of a joint, given as its motion at any (q, v)."""
    motion, n = motion_at(q, v), len(v)
    speeds = vector(*v)
    s, c = motion.S @ speeds, child_bias(motion, speeds)
    _, slopes, _ = jet(lambda at: [*motion_at(at, v).S.ravel(), *child_bias(motion_at(at, v), speeds)], q, [0] * len(q))
    _, by_velocity, _ = jet(lambda at: list(child_bias(motion_at(q, at), vector(*at))), v, [0] * n)
    S = zeros(6, n, len(directions))
    twists, biases = [], []
    for k, direction in enumerate(directions):
        slope = sum((vector(*x) * rate for x, rate in zip(slopes, direction.rates, strict=True)), zeros(6 * n + 6))
        turned = [ad(direction.leg, motion.S[:, j]) for j in range(n)]
        S[:, :, k] = slope[: 6 * n].reshape(6, n) - columns(turned)
        twists.append(S[:, :, k] @ speeds)
        biases.append(slope[6 * n :] - ad(direction.leg, c) + ad(s, twists[-1]))
    rates = [vector(*by_velocity[j]) + _bracket(motion.S, speeds, j) for j in range(n)]
    return Partials(columns([x.twist for x in directions]), S, columns(twists), columns(biases), columns(rates))


def child_bias(motion: Any, v: Vector) -> Vector:
    """c = Sdot v in the child's frame, seen from the working frame; of a motion, or of a link that has one."""
    c: Vector = motion.c - ad(motion.S_B @ v, (motion.S_A + motion.S_B) @ v)
    return c


def _bracket(S: Matrix, v: Vector, k: int) -> Vector:
    """ad(S v) S_k, in which S_k itself has no part."""
    others = [j for j in range(len(v)) if j != k]
    return ad(sum((S[:, j] * v[j] for j in others), zeros(6)), S[:, k])
