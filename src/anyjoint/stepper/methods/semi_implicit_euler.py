"""Semi-implicit Euler: velocities first, coordinates along the new ones."""

from ..stepper import Ops, Stepper, Vector


def step(ops: Ops) -> tuple[Vector, Vector]:
    """v += h a(q, v), then q += h qdot(q, new v)."""
    v = ops.go(ops.v, (1.0,), (ops.accelerate(0.0, ops.q, ops.v),))
    return ops.go(ops.q, (1.0,), (ops.rate(ops.q, v),)), v


SEMI_IMPLICIT_EULER = Stepper(
    "semi-implicit-euler", "first order and robust: what games and RedMax use", 1, step
)
