"""Derivatives of dynamics by the coordinates themselves, where these are not what velocities see."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from anyjoint.trace.workshop import Trace, Workshop

from .answers.forward_dynamics_derivatives import FORWARD_DYNAMICS_DERIVATIVES
from .answers.inverse_dynamics_derivatives import INVERSE_DYNAMICS_DERIVATIVES
from .derivatives import forward_trace, inverse_trace
from .quantity import Quantity


def by_coordinates(quantity: Quantity, trace: Callable[[Workshop, str], Trace]) -> Quantity:
    """The same quantity with derivatives by the coordinates themselves."""
    outputs = (replace(quantity.outputs[0], kind="raw"), *quantity.outputs[1:])
    return replace(quantity, name=f"{quantity.name} by coordinates", outputs=outputs, trace=trace)


RAW = {
    "inverse_dynamics_derivatives": by_coordinates(INVERSE_DYNAMICS_DERIVATIVES, inverse_trace("coordinates")),
    "forward_dynamics_derivatives": by_coordinates(FORWARD_DYNAMICS_DERIVATIVES, forward_trace("coordinates")),
}
