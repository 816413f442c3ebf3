"""Ten free numbers for an inertia: the logarithmic Cholesky factors of its integral of (r, 1) (r, 1)^T.

Whatever the numbers are, mass is positive and the tensor is that of some solid [Rucker and Wensing 2022, eq. 16].
"""

from __future__ import annotations

import numpy as np

from anyjoint.scalar.array import Floats


def moments(theta: Floats) -> tuple[float, Floats, Floats]:
    """Mass, centre of mass and tensor about it, of (alpha, d1, d2, d3, s12, s23, s13, t1, t2, t3)."""
    U, mass = _factor(theta), float(np.exp(2 * theta[0]))
    # About the centre of mass (t1, t2, t3) the last column is gone.
    return mass, U[:3, 3], _tensor(mass * U[:3, :3] @ U[:3, :3].T)


def _factor(theta: Floats) -> Floats:
    """The upper triangle U of the integral U U^T of a unit mass."""
    _, d1, d2, d3, s12, s23, s13, *t = theta
    return np.array([
        [np.exp(d1), s12, s13, t[0]],
        [0.0, np.exp(d2), s23, t[1]],
        [0.0, 0.0, np.exp(d3), t[2]],
        [0.0, 0.0, 0.0, 1.0],
    ])  # fmt: skip


def _tensor(integral: Floats) -> Floats:
    """The tensor of the integral of r r^T."""
    return np.asarray(np.trace(integral) * np.eye(3) - integral)


def slopes(theta: Floats) -> list[tuple[float, Floats, Floats]]:
    """How mass, centre of mass and tensor change with each of the ten numbers."""
    mass, _, _ = moments(theta)
    L = _factor(theta)[:3, :3]
    places = [(0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2)]  # of d1, d2, d3, s12, s23, s13
    made = [(2 * mass, np.zeros(3), _tensor(2 * mass * L @ L.T))]
    for i, j in places:
        dL = np.zeros((3, 3))
        dL[i, j] = L[i, i] if i == j else 1.0
        made.append((0.0, np.zeros(3), _tensor(mass * (dL @ L.T + L @ dL.T))))
    return [*made, *((0.0, unit, np.zeros((3, 3))) for unit in np.eye(3))]


def parameters(mass: float, com: Floats, tensor: Floats) -> Floats:
    """The ten numbers of an inertia that is that of a solid with volume."""
    integral = 0.5 * np.trace(tensor) * np.eye(3) - tensor
    U = np.linalg.cholesky(integral[::-1, ::-1] / mass)[::-1, ::-1]
    d = np.log(np.diagonal(U))
    return np.array([0.5 * np.log(mass), *d, U[0, 1], U[1, 2], U[0, 2], *com])
