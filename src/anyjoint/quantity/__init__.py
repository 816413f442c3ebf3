"""What a model can answer: QUANTITIES lists every record that a file of this folder defines."""

import importlib
import pkgutil

from .quantity import Quantity, Row

QUANTITIES: dict[str, Quantity] = {}
for _module in pkgutil.iter_modules(__path__, f"{__name__}."):
    for _thing in vars(importlib.import_module(_module.name)).values():
        if isinstance(_thing, Quantity):
            QUANTITIES[_thing.name] = _thing

__all__ = ["QUANTITIES", "Quantity", "Row"]
