"""Linearly implicit Euler: forces as they will be at the end of the step, to first order; stiff ones hold still."""

from ..stepper import Ops, Stepper, Vector


def step(ops: Ops) -> tuple[Vector, Vector]:
    """v += h x with (M + h D + h^2 K) x = f - h K v - bias, then q += h qdot(q, new v) [RM section 4]."""
    v = ops.go(ops.v, (1.0,), (ops.accelerate(1.0, ops.q, ops.v),))
    return ops.go(ops.q, (1.0,), (ops.rate(ops.q, v),)), v


IMPLICIT_EULER = Stepper(
    "implicit-euler", "first order, for stiff springs, dampers and strings at long steps", 1, step, implicit=True,
    damps=True,
)  # fmt: skip
