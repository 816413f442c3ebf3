"""The implicit midpoint rule: second order, and it keeps the energy of oscillations, also of those it cannot follow."""

from ..stepper import Ops, Stepper, Vector


def step(ops: Ops) -> tuple[Vector, Vector]:
    """Accelerations and rates of the midpoint, which is half a step of backward Euler away."""
    q, v, a = ops.solve(0.5, ops.q, ops.v, ops.share(0.5))
    return ops.go(ops.q, (1.0,), (ops.rate(q, v),)), ops.go(ops.v, (1.0,), (a,))


IMPLICIT_MIDPOINT = Stepper(
    "implicit-midpoint", "second order, keeps energy and momentum over long times", 2, step, implicit=True, solves=True
)
