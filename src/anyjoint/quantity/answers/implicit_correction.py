"""A Newton step towards the accelerations of an implicit step."""

from ..implicit import implicit

IMPLICIT_CORRECTION = implicit(given=True)
