"""Carry positions and velocities from one set of coordinates to another for the same motion (a sphere's other poles)."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from anyjoint.errors import SingularityError

from .joint import Joint
from .logarithm import logarithm

Array = np.ndarray[Any, np.dtype[Any]]


def rechart(
    old: Joint, new: Joint, q: Sequence[float], v: Sequence[float], guess: Sequence[float] | None = None
) -> tuple[Array, Array]:
    """(q', v') with which `new` has the pose and twist that `old` has at (q, v), by Gauss-Newton on the pose.

    Both joints must allow the motion: two charts of a sphere need `spin=True`, because their frames differ by a spin.
    """
    target = np.array(old.pose(_plain(q)).matrix, dtype=float)
    at = np.array([c.neutral for c in new.coordinates] if guess is None else guess, dtype=float)
    starts = [at, *_other_starts(new)]
    for start in starts:
        found = _same_pose(new, target, start)
        if found is None:
            continue
        twist = np.array(old.jacobian(_plain(q)), dtype=float) @ np.asarray(v, dtype=float)
        S = np.array(new.jacobian(_plain(found)), dtype=float)
        rates = np.linalg.lstsq(S, twist, rcond=None)[0]
        if np.abs(S @ rates - twist).max() < 1e-9 * (1 + np.abs(twist).max()):
            return found, rates
    raise SingularityError(
        f"rechart from {type(old).__name__} to {type(new).__name__}: no coordinates of the second have the pose and twist "
        f"of the first at q = {_plain(q)}; both must allow the same motion (for a sphere: spin=True on both)"
    )


def _same_pose(joint: Joint, target: Array, start: Array) -> Array | None:
    q = start.copy()
    for _ in range(60):
        error = logarithm(np.linalg.inv(np.array(joint.pose(_plain(q)).matrix, dtype=float)) @ target)
        S = np.array(joint.jacobian(_plain(q)), dtype=float)
        step = np.linalg.lstsq(S, error, rcond=None)[0]
        q = q + step * min(1.0, 0.7 / max(float(np.linalg.norm(step)), 1e-300))
        if np.linalg.norm(step) < 1e-15 * (1 + np.linalg.norm(q)):
            break
    left = logarithm(np.linalg.inv(np.array(joint.pose(_plain(q)).matrix, dtype=float)) @ target)
    return q if np.abs(left).max() < 1e-12 * (1 + np.abs(target).max()) else None


def _other_starts(joint: Joint) -> list[Array]:
    """A few points spread over the domain, the same ones every time."""
    rng = np.random.default_rng(0)
    low = np.array([c.domain[0] for c in joint.coordinates])
    high = np.array([c.domain[1] for c in joint.coordinates])
    return [low + rng.uniform(0.1, 0.9, joint.nq) * (high - low) for _ in range(20)]


def _plain(q: Sequence[float]) -> list[float]:
    return [float(x) for x in q]
