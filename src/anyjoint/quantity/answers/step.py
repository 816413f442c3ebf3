"""One step of a state, by the method that is used most."""

from ..step import STEPS

STEP = STEPS["rk4"]
