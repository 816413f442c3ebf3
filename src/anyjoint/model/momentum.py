"""Momentum about the centre of mass, from that about the world's origin."""

from __future__ import annotations

import numpy as np

from anyjoint.frozen import frozen
from anyjoint.scalar.array import Floats


@frozen
class Centroidal:
    """Momentum h about the centre of mass in world axes, angular part first: h = A v.

    `dq` is dh/dq by tangents; `rate` is Adot v, how h changes where joints do not accelerate and nothing pushes.
    """

    A: Floats
    h: Floats
    dq: Floats
    rate: Floats
    center: Floats
    mass: Floats


def about_center(
    per_velocity: Floats, per_tangent: Floats, momentum: Floats, rate: Floats, moment: Floats, mass: Floats
) -> Centroidal:
    """Moved to the centre c: h_angular - c x h_linear; the centre itself moves by h_linear / m."""
    c = moment / mass
    A = _moved(per_velocity, c[..., None, :])
    moving = per_velocity[..., 3:] / mass[..., None]  # dc/dq along each tangent
    dq = _moved(per_tangent, c[..., None, :])
    dq[..., :3] -= np.cross(moving, momentum[..., None, 3:])
    # d/dt of c x h_linear: the centre moves along h_linear, so that only the change of h_linear counts.
    return Centroidal(A.swapaxes(-1, -2), _moved(momentum, c), dq.swapaxes(-1, -2), _moved(rate, c), c, mass[..., 0])


def _moved(h: Floats, c: Floats) -> Floats:
    return np.concatenate([h[..., :3] - np.cross(c, h[..., 3:]), h[..., 3:]], axis=-1)
