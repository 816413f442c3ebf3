"""Time stepping under contacts: a linearly implicit step in which contacts, stops and dry friction resist as they will
at its end. The accelerations of a step are where a convex function is least."""

from .stepper import Ops, Stepper, Vector


def step(ops: Ops) -> tuple[Vector, Vector]:
    """v' = v + h a, then q' = q + h qdot(q', v'), where velocities are along axes of the body as they are at the end.

    One guess at q' is enough: what turns there are the axes alone.
    """
    v = ops.go(ops.v, (1.0,), (ops.accelerate(1.0, ops.q, ops.v),))
    guess = ops.go(ops.q, (1.0,), (ops.rate(ops.q, v),))
    return ops.go(ops.q, (1.0,), (ops.rate(guess, v),)), v


TIME_STEPPING = Stepper(
    "time-stepping", "first order: contacts, friction, stops and stiff forces in one convex step", 1, step,
    implicit=True, damps=True, resists=True,
)  # fmt: skip
