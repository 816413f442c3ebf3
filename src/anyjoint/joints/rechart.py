"""Carry positions and velocities to other coordinates of the same motion, such as a sphere with other poles."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from anyjoint.errors import SingularityError

from .joint import Joint
from .logarithm import logarithm
from .product_rule import motion_of

Array = np.ndarray[Any, np.dtype[Any]]


def rechart(
    old: Joint, new: Joint, q: Sequence[float], v: Sequence[float], guess: Sequence[float] | None = None
) -> tuple[Array, Array]:
    """(q', v') with which `new` has the pose and twist that `old` has at (q, v), by Gauss-Newton on the pose.

    Both joints must allow the motion: two charts of a sphere need `spin=True`, because their frames differ by a spin.
    A start can be given as pose and twist: from `FreeQuaternion` to `Contact`, or to `Rolling` where nothing slips.
    """
    target = _matrix(old, q)
    at = np.array([c.neutral for c in new.coordinates] if guess is None else guess, dtype=float)
    starts = [at, *_other_starts(new)]
    for start in starts:
        found = _same_pose(new, target, start)
        if found is None:
            continue
        twist = _jacobian(old, q) @ np.asarray(v, dtype=float)
        S = _jacobian(new, found)
        rates = np.linalg.lstsq(S, twist, rcond=None)[0]
        if np.abs(S @ rates - twist).max() < 1e-9 * (1 + np.abs(twist).max()):
            return found, rates
    raise SingularityError(
        f"rechart from {type(old).__name__} to {type(new).__name__}: no coordinates of the second have the pose and "
        f"twist of the first at q = {_plain(q)}; both must allow the same motion (for a sphere: spin=True on both)"
    )


def _same_pose(joint: Joint, target: Array, start: Array) -> Array | None:
    q = start.copy()
    for _ in range(60):
        error = logarithm(np.linalg.inv(_matrix(joint, q)) @ target)
        step = np.linalg.lstsq(_partials(joint, q), error, rcond=None)[0]
        q = q + step * min(1.0, 0.7 / max(float(np.linalg.norm(step)), 1e-300))
        if np.linalg.norm(step) < 1e-15 * (1 + np.linalg.norm(q)):
            break
    left = logarithm(np.linalg.inv(_matrix(joint, q)) @ target)
    return q if np.abs(left).max() < 1e-12 * (1 + np.abs(target).max()) else None


def _other_starts(joint: Joint) -> list[Array]:
    """A few points spread over the domain, the same ones every time."""
    rng = np.random.default_rng(0)
    low = np.array([c.domain[0] for c in joint.coordinates])
    high = np.array([c.domain[1] for c in joint.coordinates])
    return [low + rng.uniform(0.1, 0.9, joint.nq) * (high - low) for _ in range(20)]


def _matrix(joint: Joint, q: Any) -> Array:
    return np.asarray(joint.pose(_plain(q)).matrix, dtype=np.float64)


def _jacobian(joint: Joint, q: Any) -> Array:
    return np.asarray(joint.jacobian(_plain(q)), dtype=np.float64)


def _partials(joint: Joint, q: Any) -> Array:
    """Twists of the coordinates themselves: of all that a pose depends on, also where there are fewer velocities."""
    return np.asarray(motion_of(joint.legs, _plain(q), [0.0] * joint.nq).jacobian(), dtype=np.float64)


def _plain(q: Any) -> list[float]:
    return [float(x) for x in q]
