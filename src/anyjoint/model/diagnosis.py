"""Why a result is not finite: which input, which joint, which body."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from anyjoint.errors import InputError, SingularityError

Floats = np.ndarray[Any, np.dtype[Any]]


def explain(
    mechanism: Any, name: str, inputs: Sequence[tuple[str, int]], arrays: Sequence[Any], result: Floats
) -> None:
    """Raise the error that explains a result which is not finite; return if it is finite after all."""
    if np.isfinite(result).all():
        return
    for (what, _), array in zip(inputs, arrays, strict=True):
        bad = np.argwhere(~np.isfinite(np.asarray(array, dtype=float)))
        if len(bad):
            raise InputError(f"{name}: {what}{[int(k) for k in bad[0]]} is not finite; give finite numbers")
    raise SingularityError(_singular(mechanism, name, np.asarray(arrays[0], dtype=float), result))


def _singular(mechanism: Any, name: str, q: Floats, result: Floats) -> str:
    bad = np.argwhere(~np.isfinite(result))[0]
    row = q if q.ndim == 1 else q[bad[0]]
    for body in mechanism.bodies:
        reason = body.joint.singularity(row[body.q]) if body.joint.nq else None
        if reason:
            return f"{name}: body {body.name!r} at q = {row[body.q].tolist()}: {reason}"
    if name != "forward_dynamics":
        return f"{name}: not finite at q = {row.tolist()}; move away from this configuration"
    index = min(int(bad[-1]), mechanism.nv - 1)
    body = next(b for b in mechanism.bodies if b.v.start <= index < b.v.stop)
    coordinate = body.coordinate_names[min(index - body.v.start, body.joint.nq - 1)]
    return (
        f"{name}: the mass matrix is singular at q = {row.tolist()}: nothing resists the coordinate {coordinate!r}"
        f" of body {body.name!r} there. Give this body or its descendants inertia, or move away from here."
    )
