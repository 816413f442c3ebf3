"""Neutral coordinates to those of an engine, and its answers back."""

from __future__ import annotations

from typing import Any

import numpy as np

from bench.models import COORDINATES, Model

Array = np.ndarray[Any, np.dtype[Any]]


class Coordinates:
    """How an engine numbers coordinates, and which parts of a free joint's velocity it expresses in the world frame.

    engine[k] = neutral[order[k]]. `turned` holds the places (0: angular, 3: linear) of the parts given in world axes.
    """

    def __init__(self, model: Model, q_order: Array, v_order: Array, turned: tuple[int, ...] = ()) -> None:
        starts = zip(model.bodies, model.q_start, model.v_start, strict=False)
        self.free = [(at_q, at_v) for body, at_q, at_v in starts if body.kind == "free"]
        self.q_order, self.v_order, self.turned = q_order, v_order, turned

    def q(self, q: Array) -> Array:
        """Coordinates for the engine."""
        return q[:, self.q_order]

    def v(self, q: Array, v: Array) -> Array:
        """Velocities, or generalized forces, for the engine."""
        return self._turn(q, v, inverse=False)[:, self.v_order]

    def a(self, q: Array, v: Array, a: Array) -> Array:
        """Accelerations for the engine: the derivative of a turned linear velocity has one more term, w x v."""
        return self.v(q, a + self._coriolis(v))

    def tau_back(self, q: Array, tau: Array) -> Array:
        """An engine's generalized forces in the neutral layout."""
        result = np.empty_like(tau)
        result[:, self.v_order] = tau
        return self._turn(q, result, inverse=True)

    def a_back(self, q: Array, v: Array, a: Array) -> Array:
        """An engine's accelerations in the neutral layout; v is neutral."""
        return self.tau_back(q, a) - self._coriolis(v)

    def mass_back(self, q: Array, mass: Array) -> Array:
        """An engine's mass matrices in the neutral layout: each side transforms like a generalized force."""
        n = mass.shape[1]
        rows = np.stack([self.tau_back(q, mass[:, :, j]) for j in range(n)], axis=2)
        return np.stack([self.tau_back(q, rows[:, i, :]) for i in range(n)], axis=1)

    def _coriolis(self, v: Array) -> Array:
        result = np.zeros_like(v)
        for _, at in self.free if 3 in self.turned else ():
            result[:, at + 3 : at + 6] = np.cross(v[:, at : at + 3], v[:, at + 3 : at + 6])
        return result

    def _turn(self, q: Array, v: Array, inverse: bool) -> Array:
        result = v.copy()
        for at_q, at_v in self.free:
            R = rotation(q[:, at_q : at_q + 4])
            R = R.swapaxes(1, 2) if inverse else R
            for part in self.turned:
                place = slice(at_v + part, at_v + part + 3)
                result[:, place] = np.einsum("nij,nj->ni", R, v[:, place])
        return result


def pinocchio(model: Model) -> Coordinates:
    """Pinocchio's free joint: position, quaternion (x, y, z, w); linear velocity first, both parts in body axes."""
    bodies = range(len(model.bodies))
    q_order = _order(model, bodies, (4, 5, 6, 1, 2, 3, 0), velocities=False)
    return Coordinates(model, q_order, _order(model, bodies, (3, 4, 5, 0, 1, 2), velocities=True))


def mujoco(model: Model) -> Coordinates:
    """MuJoCo's free joint: position, quaternion; linear velocity first, in world axes. Bodies depth first."""
    bodies = depth_first(model)
    q_order = _order(model, bodies, (4, 5, 6, 0, 1, 2, 3), velocities=False)
    return Coordinates(model, q_order, _order(model, bodies, (3, 4, 5, 0, 1, 2), velocities=True), turned=(3,))


def depth_first(model: Model) -> list[int]:
    """Bodies in depth-first order, children in the order given."""
    children: dict[int, list[int]] = {}
    for k, body in enumerate(model.bodies):
        children.setdefault(body.parent, []).append(k)
    order: list[int] = []
    stack = children.get(-1, [])[::-1]
    while stack:
        order.append(stack.pop())
        stack += children.get(order[-1], [])[::-1]
    return order


def rotation(quaternion: Array) -> Array:
    """Rotation matrices of unit quaternions (w, x, y, z), one per row."""
    w, x, y, z = np.moveaxis(quaternion, -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), -1, 0)


def _order(model: Model, bodies: Any, free: tuple[int, ...], velocities: bool) -> Array:
    """Order of coordinates when bodies come in this order and a free joint is shuffled so."""
    starts = model.v_start if velocities else model.q_start
    indices: list[int] = []
    for k in bodies:
        kind = model.bodies[k].kind
        within = free if kind == "free" else range(COORDINATES[kind][velocities])
        indices += [starts[k] + i for i in within]
    return np.array(indices, dtype=int)
