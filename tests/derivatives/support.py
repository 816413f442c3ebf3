"""Complex steps through the programs of a model, run statement by statement: exact derivatives to compare with."""

import numpy as np

from anyjoint.model.program import filled
from anyjoint.quantity import QUANTITIES
from anyjoint.spatial import Pose
from anyjoint.symbolic.interpret import evaluate_ids
from anyjoint.trace.workshop import Workshop

STEP = 1e-200


class Interpreted:
    """A quantity of a mechanism on numbers of any kind, rows (count, n) in and out."""

    def __init__(self, mech, name, form="straight"):
        self.mech, self.quantity = mech, QUANTITIES[name]
        self.trace = self.quantity.trace(Workshop(mech, form), "auto")
        self.numbers = filled(name, self.trace, self.trace.numbers, (), np.dtype(float))
        self.size = sum(row.size(mech) for row in self.quantity.outputs)

    def __call__(self, *rows):
        count = max(len(np.atleast_2d(row)) for row in rows)
        schedule = self.trace.schedule
        names = [array.name for array in schedule.arrays if array.kind == "row" and array.name != "result"]
        given = dict(zip(names, rows, strict=True))
        memory = []
        for array in schedule.arrays:
            if array.name == "result":
                memory.append([np.zeros(count)] * self.size)
            elif array.kind == "lane":
                memory.append([None] * schedule.work)
            elif array.name == "numbers":
                memory.append(list(self.numbers))
            else:
                wide = np.broadcast_to(np.atleast_2d(given[array.name]), (count, np.shape(given[array.name])[-1]))
                memory.append(list(wide.T))
        for run in schedule.runs:
            kernel, arrays = schedule.kernels[run.kernel], [memory[k] for k in run.arrays]
            for offsets in run.offsets.tolist():
                for column in range(kernel.columns):
                    moved = [k + column * array.wide for k, array in zip(offsets, kernel.arrays, strict=True)]
                    self._call(kernel, arrays, moved)
        result = memory[[array.name for array in schedule.arrays].index("result")]
        return np.stack([np.broadcast_to(x, count) for x in result], axis=1)

    def _call(self, kernel, arrays, offsets):
        values = {node: arrays[a][offsets[a] + k] for node, (a, k) in kernel.loads.items()}
        made = evaluate_ids(kernel.graph, [store.node.id for store in kernel.stores], values)
        for store in kernel.stores:
            place = offsets[store.array] + store.offset
            old = arrays[store.array][place] if store.accumulate else 0.0
            arrays[store.array][place] = old + made[store.node.id]


def tangents(mech, q):
    """How coordinates go at each unit velocity, (nv, nq)."""
    T = np.zeros((mech.nv, mech.nq))
    for body in mech.bodies:
        for k in range(body.joint.nv):
            unit = [1.0 if i == k else 0.0 for i in range(body.joint.nv)]
            T[body.v.start + k, body.q] = body.joint.rate([float(x) for x in q[body.q]], unit)
    return T


def slopes(function, rows, which, directions):
    """The derivatives (outputs, directions) of a function of rows along directions of one of them, by complex steps."""
    moved = list(rows)
    moved[which] = rows[which] + 1j * STEP * directions
    return np.imag(function(*moved)).T / STEP


def close(a, b, tolerance, scale=1e-30):
    """Largest difference, relative to the largest entry, or to `scale` where that is larger."""
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    scale = max(np.abs(a).max(initial=0.0), np.abs(b).max(initial=0.0), scale)
    worst = float(np.abs(a - b).max(initial=0.0)) / scale
    assert worst <= tolerance, f"differ by {worst:.3g} of {scale:.3g}, allowed {tolerance:.3g}"
    return True


def after(name, before, change):
    """A parameter after a change; that of a placement K is a twist, K exp(xi)."""
    if not name.endswith("/placement"):
        made = np.asarray(before, dtype=float) + change
        return made if made.shape else float(made)
    angle = np.linalg.norm(change[:3])
    x, y, z = change[:3] / angle
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    V = np.eye(3) + (1 - np.cos(angle)) / angle * K + (angle - np.sin(angle)) / angle * K @ K
    return before @ Pose.translation(*(V @ change[3:])) @ Pose.rotation((x, y, z), angle)


def differences(function, x, directions, h=1e-3):
    """Derivatives along directions by differences of fourth order."""
    made = []
    for d in np.asarray(directions):
        near, far = (np.asarray(function(x + s * d)) - np.asarray(function(x - s * d)) for s in (h, 2 * h))
        made.append((8 * near - far) / (12 * h))
    return np.stack(made, axis=-1)
