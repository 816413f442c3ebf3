"""Steppers: from one state to the next. STEPPERS lists every one that a file of this folder defines."""

import importlib
import pkgutil

from .stepper import Stepper

STEPPERS: dict[str, Stepper] = {}
for _module in pkgutil.iter_modules(__path__, f"{__name__}."):
    for _thing in vars(importlib.import_module(_module.name)).values():
        if isinstance(_thing, Stepper):
            STEPPERS[_thing.name] = _thing

__all__ = ["STEPPERS", "Stepper"]
