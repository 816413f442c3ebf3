"""Accelerations over a step that feel springs and dampers as they will be at its end."""

from ..implicit import implicit

IMPLICIT_ACCELERATION = implicit()
