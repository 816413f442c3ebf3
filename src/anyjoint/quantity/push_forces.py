"""Generalized forces of the forces of a run, by kernels: for many of them, or many bodies."""

from __future__ import annotations

from collections.abc import Sequence

from anyjoint.constraints import Push
from anyjoint.trace.workshop import Trace, Workshop

from .quantity import TAU, Q, Quantity, Row, V


def push_forces(pushes: Sequence[Push]) -> Quantity:
    """The quantity of some pushes; functions of time that they depend on are a row behind the state."""
    count = sum(len(push.signals) for push in pushes)
    signals = (Row("signals", "whole", (count,), "what functions of time say"),) if count else ()

    def trace(workshop: Workshop, _: str) -> Trace:
        return workshop.pushed(pushes, loose=True).push_forces(("q", "v", *(row.name for row in signals)))

    return Quantity(
        "push_forces", "Generalized forces of forces.", (Q, V, *signals), (TAU,), trace, by_name=False
    )
