"""The second backward differentiation formula; the first step, which has no state before it, is backward Euler."""

from ..stepper import Ops, Stepper, Vector


def step(ops: Ops) -> tuple[Vector, Vector]:
    """(1 + 2w) y' = (1 + w)^2 y - w^2 y_before + (1 + w) h f(y'), where w is the ratio of this step to the last."""
    q, v, _ = ops.solve(1.0, *ops.past())
    return q, v


BDF2 = Stepper(
    "bdf2", "second order, damps what is too quick: stiff mechanisms", 2, step, implicit=True, solves=True,
    remembers=True, damps=True,
)  # fmt: skip
