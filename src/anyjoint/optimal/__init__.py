"""Fits and optimal motions by exact derivatives: parameters from measurements, inputs and designs from a cost."""

from .descent import Optimised, optimise
from .fit import Identified, identify
from .regulator import Regulator, lqr

__all__ = ["Identified", "Optimised", "Regulator", "identify", "lqr", "optimise"]
