"""Functions of OpenSim as functions of ours."""

from __future__ import annotations

from typing import Any

from anyjoint.errors import InputError
from anyjoint.geometry import functions

from ..markup import Element
from .values import Values

SPLINES = ("SimmSpline", "NaturalCubicSpline", "natCubicSpline")
KNOWN = (
    "Constant", "LinearFunction", "PolynomialFunction", "PiecewiseLinearFunction", "MultiplierFunction",
    "CompositeFunction", "MultivariatePolynomialFunction", "Sine", "StepFunction", *SPLINES,
)  # fmt: skip
SINE = {"amplitude": 1.0, "omega": 1.0, "phase": 0.0, "offset": 0.0}
STEP = {"transition_start_time": 0.99, "transition_end_time": 1.01, "start_value": 0.0, "end_value": 1.0}


def read_function(element: Element, values: Values) -> Any:
    """A callable of the function's coordinates; one that is unknown is reported."""
    try:
        return _read(element, values)
    except InputError as error:
        values.report.error(element.line, "function", f"<{element.tag}>: {error}")
        return functions.Constant(0.0)


def _read(element: Element, values: Values) -> Any:
    kind = element.tag
    if kind == "Constant":
        return functions.Constant(values.number(element, "value", 0.0))
    if kind == "LinearFunction":
        slope, intercept = values.numbers(element, "coefficients", (1.0, 0.0), 2)
        return functions.Linear(slope, intercept)
    if kind == "PolynomialFunction":  # the highest power comes first
        return functions.Polynomial(tuple(values.numbers(element, "coefficients", (1.0,))[::-1]))
    if kind == "MultivariatePolynomialFunction":
        sizes = (values.number(element, tag, 0.0) for tag in ("dimension", "order"))
        return functions.Powers(tuple(values.numbers(element, "coefficients", ())), *(int(x) for x in sizes))
    if kind == "Sine":
        return functions.Sine(*(values.number(element, tag, usual) for tag, usual in SINE.items()))
    if kind == "StepFunction":
        return functions.Step(*(values.number(element, tag, usual) for tag, usual in STEP.items()))
    if kind in (*SPLINES, "PiecewiseLinearFunction"):
        return _through(kind, *(values.numbers(element, tag, ()) for tag in ("x", "y")))
    if kind == "MultiplierFunction":
        scale, inner = values.number(element, "scale", 1.0), _inner(element, "function", values)
        if isinstance(inner, functions.Constant):
            return functions.Constant(scale * inner.value)
        return inner if scale == 1 else functions.Scaled(inner, scale)
    if kind == "CompositeFunction":
        outer, inner = (_inner(element, tag, values) for tag in ("outer_function", "inner_function"))
        return functions.Composed(outer, inner)
    message = f"the function <{kind}> is not known; there is {', '.join(KNOWN)}"
    values.report.refuse(element.line, "unsupported", message)
    return functions.Constant(0.0)


def _through(kind: str, x: list[float], y: list[float]) -> Any:
    if kind == "PiecewiseLinearFunction" or len(x) == 2:
        return functions.PiecewiseLinear(x, y)
    return functions.SimmSpline(x, y)


def _inner(element: Element, tag: str, values: Values) -> Any:
    found = element.find(tag)
    if found is None or not found.children:
        raise InputError(f"it has no <{tag}>")
    return read_function(found.children[0], values)


def function_of(element: Element, values: Values) -> Any | None:
    """The function inside an element, wrapped in <function> or not; None where there is none."""
    wrapped = element.find("function")
    if wrapped is not None:
        inside = wrapped.children
    else:
        inside = [x for x in element.children if x.tag in KNOWN or x.attributes.get("name") == "function"]
    return read_function(inside[0], values) if inside else None


def has_empty_function(element: Element) -> bool:
    """Whether a <function> is there, and nothing in it."""
    wrapped = element.find("function")
    return wrapped is not None and not wrapped.children
