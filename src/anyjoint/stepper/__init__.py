"""Steppers: from one state to the next. STEPPERS lists the records that the files of `methods` define."""

from anyjoint.listed import Listed

from . import methods
from .stepper import Stepper

STEPPERS = Listed(methods, Stepper, dash="-")

__all__ = ["STEPPERS", "Stepper", "explicit_names", "resists"]


def explicit_names() -> str:
    """The names of all explicit steppers, for messages."""
    return ", ".join(name for name, stepper in STEPPERS.items() if not stepper.implicit)


def resists(method: str) -> bool:
    """Whether contacts, limits of joints and dry friction are a part of the steps of a method, which may be unknown."""
    return method in STEPPERS and STEPPERS[method].resists
