"""Backward Euler: the first backward differentiation formula, solved to the end."""

from ..stepper import Ops, Stepper, Vector


def step(ops: Ops) -> tuple[Vector, Vector]:
    """v' = v + h a(q', v'), q' = q + h qdot(q', v')."""
    q, v, _ = ops.solve(1.0, ops.q, ops.v, ops.share(1.0))
    return q, v


BDF1 = Stepper(
    "bdf1", "first order, backward Euler: damps whatever is too quick", 1, step, implicit=True, solves=True, damps=True
)
