"""Steppers: from one state to the next. STEPPERS lists the records that the files of `methods` define."""

from anyjoint.listed import Listed

from . import methods
from .stepper import Stepper

STEPPERS = Listed(methods, Stepper, dash="-")

__all__ = ["STEPPERS", "Stepper", "explicit_names"]


def explicit_names() -> str:
    """The names of all explicit steppers, for messages."""
    return ", ".join(name for name, stepper in STEPPERS.items() if not stepper.implicit)
