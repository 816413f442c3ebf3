"""Whether matrices of floats are rotations."""

import numpy as np

from .algebra import Matrix

ROUNDING = 1e-9  # of entries of R R^T, where R was computed in double precision


def rotation_problem(R: Matrix, within: float = ROUNDING) -> str | None:
    """What keeps a 3x3 matrix, or one of a batch, from being a rotation; None if nothing does."""
    if not np.isfinite(R).all():
        return "it is not finite"
    error = float(np.abs(R @ np.swapaxes(R, -1, -2) - np.eye(3)).max())
    det = float(np.linalg.det(R).min())
    if error > within or det < 0:
        return f"R R^T differs from 1 by {error:.2g}, det {det:.3g}"
    return None
