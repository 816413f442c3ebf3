"""Many runs of one mechanism: sweeps and ensembles, on one machine and on a cluster."""

import sys
from types import ModuleType
from typing import Any

from .distribution import Distribution, choice, grid, log_normal, normal, uniform
from .result import SweepResult
from .statistics import Statistics
from .sweep import sweep

__all__ = [
    "Distribution", "Statistics", "SweepResult", "choice", "grid", "log_normal", "normal", "sweep", "uniform",
]  # fmt: skip


class _Sweeper(ModuleType):
    """`anyjoint.sweep` is this module to those who import from it first, and the function to all others."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return sweep(*args, **kwargs)


sys.modules[__name__].__class__ = _Sweeper
