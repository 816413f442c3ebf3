"""Time stepping under contacts: a linearly implicit step in which contacts, stops and dry friction resist as they will
at its end. The accelerations of a step are where a convex function is least."""

from .implicit_euler import step
from .stepper import Stepper

TIME_STEPPING = Stepper(
    "time-stepping", "first order: contacts, friction, stops and stiff forces in one convex step", 1, step,
    implicit=True, damps=True, resists=True,
)  # fmt: skip
