"""Why a result is not finite: which input, which joint, which body."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from anyjoint.errors import InputError, SingularityError
from anyjoint.mechanism.singular import joint_reason
from anyjoint.scalar.array import ArrayLike, Floats

if TYPE_CHECKING:
    from .model import Model

LARGE = 1e100  # velocities are squared, and multiplied by masses and lengths


def explain(
    model: Model, name: str, inputs: Sequence[tuple[str, int]], arrays: Sequence[ArrayLike], result: Floats
) -> None:
    """Raise the error that explains a result which is not finite; return if it is finite after all."""
    if np.isfinite(result).all():
        return
    for (what, _), array in zip(inputs, arrays, strict=True):
        bad = np.argwhere(~np.isfinite(np.asarray(array, dtype=float)))
        if len(bad):
            raise InputError(f"{name}: {what}{[int(k) for k in bad[0]]} is not finite; give finite numbers")
    q = np.asarray(arrays[0], dtype=float)
    state = int(np.argwhere(~np.isfinite(result))[0][0])
    which = f" state {state}," if result.ndim == 2 else ""
    largest = max(float(np.abs(np.asarray(x, dtype=float)).max(initial=0.0)) for x in arrays)
    raise SingularityError(f"{name}:{which} {_reason(model, name, q if q.ndim == 1 else q[state], largest)}")


def _reason(model: Model, name: str, q: Floats, largest: float) -> str:
    """What is not finite at q, where the largest of all inputs is this large."""
    for body in model.mechanism.bodies:
        reason = joint_reason(body, q)
        if reason:
            return f"body {body.name!r} at q = {q[body.q].tolist()}: {reason}"
    if largest > LARGE:
        return f"a number as large as {largest:.3g} was given, whose products are out of range; give smaller ones"
    if name != "forward_dynamics":
        return f"not finite at q = {q.tolist()}; move away from this configuration"
    index = _weakest(model.mass_matrix(q))
    body = next(b for b in model.mechanism.bodies if b.v.start <= index < b.v.stop)
    coordinate = body.coordinate_names[min(index - body.v.start, body.joint.nq - 1)]
    return (
        f"the mass matrix is singular at q = {q.tolist()}: nothing resists the coordinate {coordinate!r}"
        f" of body {body.name!r} there. Give this body or its descendants inertia, or move away from here."
    )


def _weakest(M: Floats) -> int:
    """The coordinate that can move with the least kinetic energy, all coordinates measured by their own inertia."""
    scale = np.sqrt(np.abs(np.diag(M)).astype(float))
    if scale.min() <= 1e-8 * scale.max():
        return int(np.argmin(scale))
    _, vectors = np.linalg.eigh(M / np.outer(scale, scale))
    return int(np.argmax(np.abs(vectors[:, 0])))
