"""Operations on arrays that NumPy does not have for complex numbers as complex-step differentiation needs them.

Comparisons, extrema and floors look at the real part only.
"""

from collections.abc import Callable

import numpy as np

from anyjoint.scalar import Scalar


def of_real(function: Callable[..., Scalar]) -> Callable[..., Scalar]:
    """The function of real parts."""
    return lambda *values: function(*map(np.real, values))


def smaller(a: Scalar, b: Scalar) -> Scalar:
    """The one with the smaller real part."""
    return np.where(np.real(a) < np.real(b), a, b)


def larger(a: Scalar, b: Scalar) -> Scalar:
    """The one with the larger real part."""
    return np.where(np.real(a) < np.real(b), b, a)


def absolute(a: Scalar) -> Scalar:
    """|a|, by the sign of the real part."""
    return np.where(np.real(a) < 0, -a, a) if np.iscomplexobj(a) else np.absolute(a)


def atan2(y: Scalar, x: Scalar) -> Scalar:
    """The angle, continued to first order in the imaginary parts."""
    a, b = np.real(x), np.real(y)
    if not np.iscomplexobj(y) and not np.iscomplexobj(x):
        return np.arctan2(b, a)
    return np.arctan2(b, a) + 1j * (a * np.imag(y) - b * np.imag(x)) / (a * a + b * b)


def remainder(a: Scalar, b: Scalar) -> Scalar:
    """What is left of a when b is taken off a whole number of times, with the sign of a."""
    if not np.iscomplexobj(a) and not np.iscomplexobj(b):
        return np.fmod(a, b)
    return a - b * np.trunc(np.real(a) / np.real(b))
