"""Muscles of an .osim: their paths, and Hill's numbers."""

from __future__ import annotations

from anyjoint.forces import Hill, Muscle

from ..markup import Element
from .attachments import Attachments, path_of
from .values import Values


def is_muscle(element: Element) -> bool:
    """Whether a force of the file is a muscle."""
    return "Muscle" in element.tag and path_of(element) is not None


def read_muscle(element: Element, at: Attachments) -> Muscle:
    """A muscle at rest."""
    return Muscle(at.path(element), _hill(element, at.values))


def _hill(element: Element, values: Values) -> Hill:
    number = values.number
    return Hill(
        number(element, "max_isometric_force", 1000.0),
        number(element, "optimal_fiber_length", 0.1),
        number(element, "max_contraction_velocity", 10.0),
        number(element, "tendon_slack_length", 0.2),
        number(element, "pennation_angle_at_optimal", number(element, "pennation_angle", 0.0)),
    )
