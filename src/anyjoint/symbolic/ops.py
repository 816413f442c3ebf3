"""What is known about every operation: one record each, with all that a graph, a derivative or a printer asks."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar
from anyjoint.symbolic import arrays, interval, slopes

from .interval import Interval
from .op import Op as Op
from .slopes import Rule, constant

TIGHTEST = 9  # how tightly what prints as a function call holds together


@frozen
class Operation:
    """An operation; {a} {b} {c} stand for operands in text. GATHER has a table besides, and leaves only data."""

    takes: str  # types of its operands: r real, b condition
    printed: str  # in text and messages: a sign, or the name of a function
    value: Callable[..., Scalar] | None = None  # on floats
    array: Callable[..., Scalar] | None = None  # on arrays, complex ones too
    exact: str = ""  # mpmath's function, where Python's own does not keep its digits
    interval: Callable[..., Interval] | None = None  # from those of its operands
    partials: tuple[Rule | None, ...] = ()  # one per operand; None where the operation is piecewise constant in it
    common: tuple[Rule, Rule, Rule] | None = None  # a factor of both partials, and what is left of each
    pieces: tuple[int, Callable[..., Any]] | None = None  # how many operands decide on which piece it is, and how
    singular: bool = False  # value or derivative may be infinite or undefined somewhere on finite operands
    commutative: bool = False
    gives: str = "r"
    binding: int = TIGHTEST  # how tightly a sign binds
    latex: str = ""  # a sign, or a function of its operands; {base} is the first one, in brackets where they are needed
    library: str = ""  # the function of C's library that machine code calls
    c: str = ""
    javascript: str = ""
    llvm: str = ""  # {r} number of the result, {T} type, {B} condition type, {f} flags, {s} intrinsic suffix


def _sign(
    sign: str,
    value: Callable[..., Scalar],
    array: Callable[..., Scalar],
    llvm: str,
    binding: int,
    latex: str,
    **more: Any,
) -> Operation:
    """An operation that is written between its operands."""
    text = f"{{a}} {sign} {{b}}"
    given: dict[str, Any] = {"c": text, "javascript": text, **more}
    return Operation("rr", sign, value, array, llvm=llvm, binding=binding, latex=latex, **given)


def _comparison(sign: str, value: Callable[..., Scalar], llvm: str, latex: str, **more: Any) -> Operation:
    """A condition; of complex numbers it looks at the real parts."""
    text = f"%t{{r}} = fcmp {llvm} {{T}} {{a}}, {{b}}"
    return _sign(sign, value, arrays.of_real(value), text, 0, latex, gives="b", partials=(None, None), **more)


def _function(
    name: str, value: Callable[..., Scalar], array: Callable[..., Scalar], partials: tuple[Rule | None, ...],
    symbol: str = "", printed: str = "", **more: Any,
) -> Operation:  # fmt: skip
    """A function of C's library, of JavaScript's Math and, unless said otherwise, of mpmath by the same name."""
    operands = ["{a}", "{b}"][: len(partials)]
    typed = ", ".join(f"{{T}} {x}" for x in operands)
    given: dict[str, Any] = {
        "exact": name, "library": name, "singular": True, "latex": (symbol or f"\\{name}") + "\\left({x}\\right)",
        "c": f"{name}({', '.join(operands)})", "javascript": f"Math.{name}({', '.join(operands)})",
        "llvm": f"%t{{r}} = call {{T}} @library_{name}({typed})", **more,
    }  # fmt: skip
    return Operation("r" * len(partials), printed or name, value, array, partials=partials, **given)


def _intrinsic(
    name: str, printed: str, value: Callable[..., Scalar], array: Callable[..., Scalar],
    partials: tuple[Rule | None, ...], **more: Any,
) -> Operation:  # fmt: skip
    """A function that the processor has."""
    text = f"%t{{r}} = call {{T}} @llvm.{name}.{{s}}({{T}} {{a}})"
    given: dict[str, Any] = {"javascript": f"Math.{printed}({{a}})", "exact": printed, "singular": False, **more}
    return _function(name, value, array, partials, library="", llvm=text, printed=printed, **given)


def _extremum(name: str, first: int, value: Callable[..., Scalar], array: Callable[..., Scalar]) -> Operation:
    """The smaller or the larger of two; of NaN it is the same everywhere, because all compare in this order."""
    one, other = ("{a}", "{b}") if first == 0 else ("{b}", "{a}")
    text = f"{{a}} < {{b}} ? {one} : {other}"
    return Operation(
        "rr", name, value, array, commutative=True, c=text, javascript=text, pieces=(2, lambda a, b: a < b),
        interval=interval.smaller if first == 0 else interval.larger,
        partials=(slopes.taken(first), slopes.taken(1 - first)), latex=f"\\{name}\\left({{x}}\\right)",
        llvm=f"%c{{r}} = fcmp olt {{T}} {{a}}, {{b}}\n  %t{{r}} = select {{B}} %c{{r}}, {{T}} {one}, {{T}} {other}",
    )  # fmt: skip


OPERATIONS: dict[int, Operation] = {
    Op.CONST: Operation("", "constant"),
    Op.VAR: Operation("", "variable"),
    Op.ADD: _sign(
        "+", lambda a, b: a + b, np.add, "%t{r} = fadd{f} {T} {a}, {b}", 1, "+", interval=interval.add,
        partials=(constant(1.0), constant(1.0)), commutative=True,
    ),
    Op.SUB: _sign(
        "-", lambda a, b: a - b, np.subtract, "%t{r} = fsub{f} {T} {a}, {b}", 1, "-", interval=interval.sub,
        partials=(constant(1.0), constant(-1.0)),
    ),
    Op.MUL: _sign(
        "*", lambda a, b: a * b, np.multiply, "%t{r} = fmul{f} {T} {a}, {b}", 3, "\\,", interval=interval.mul,
        partials=(lambda g, y: g.b[y], lambda g, y: g.a[y]), commutative=True,
    ),
    Op.DIV: _sign(
        "/", lambda a, b: a / b, np.divide, "%t{r} = fdiv{f} {T} {a}, {b}", 3, "", interval=interval.div,
        partials=(slopes.inverse_of_divisor, slopes.by_divisor), singular=True,
        common=(slopes.inverse_of_divisor, constant(1.0), lambda g, y: g.node(Op.NEG, y)),
    ),
    Op.NEG: Operation(
        "r", "-", lambda a: -a, np.negative, interval=lambda x: (-x[1], -x[0]), partials=(constant(-1.0),), binding=2,
        c="-{a}", javascript="-{a}", llvm="%t{r} = fneg {T} {a}",
    ),
    Op.SQRT: _intrinsic(
        "sqrt", "sqrt", math.sqrt, np.sqrt, (lambda g, y: g.node(Op.DIV, g.constant_id(0.5), y),), singular=True,
        interval=interval.increasing(math.sqrt, 0.0, math.inf), latex="\\sqrt{{{x}}}",
    ),
    # Machine code and source text compute sine and cosine of an angle together: see codegen/sincos.py.
    Op.SIN: _function(
        "sin", math.sin, np.sin, (lambda g, y: g.node(Op.COS, g.a[y]),), interval=interval.sin, singular=False,
        library="", c="", javascript="", llvm="",
    ),
    Op.COS: _function(
        "cos", math.cos, np.cos, (lambda g, y: g.node(Op.NEG, g.node(Op.SIN, g.a[y])),), interval=interval.cos,
        singular=False, library="", c="", javascript="", llvm="",
    ),
    Op.TAN: _function("tan", math.tan, np.tan, (slopes.tangent,), interval=interval.tan),
    Op.ASIN: _function(
        "asin", math.asin, np.arcsin, (slopes.arcsine,), "\\arcsin",
        interval=interval.increasing(math.asin, -1.0, 1.0),
    ),
    Op.ACOS: _function(
        "acos", math.acos, np.arccos, (lambda g, y: g.node(Op.NEG, slopes.arcsine(g, y)),), "\\arccos",
        interval=interval.acos,
    ),
    Op.ATAN2: _function(
        "atan2", math.atan2, arrays.atan2, (slopes.by_height, slopes.by_width), "\\operatorname{{atan2}}",
        interval=lambda y, x: (-3.1416, 3.1416), pieces=(2, lambda y, x: (y < 0) & (x < 0)),
        common=(slopes.over_square_radius, lambda g, y: g.b[y], lambda g, y: g.node(Op.NEG, g.a[y])),
    ),
    Op.EXP: _function("exp", math.exp, np.exp, (lambda g, y: y,), interval=interval.exp, latex="e^{{{x}}}"),
    Op.LOG: _function(
        "log", math.log, np.log, (lambda g, y: g.node(Op.DIV, g.constant_id(1.0), g.a[y]),), interval=interval.log
    ),
    Op.POW: _function(
        "pow", math.pow, np.power, (slopes.by_base, lambda g, y: g.node(Op.MUL, y, g.node(Op.LOG, g.a[y]))),
        interval=interval.power, exact="power", latex="{{{base}}}^{{{b}}}",
    ),
    Op.ABS: _intrinsic(
        "fabs", "abs", abs, arrays.absolute, (slopes.sign,), interval=interval.absolute, exact="",
        latex="\\left|{x}\\right|", pieces=(1, lambda a: a < 0),
    ),
    Op.MIN: _extremum("min", 0, lambda a, b: a if a < b else b, arrays.smaller),
    Op.MAX: _extremum("max", 1, lambda a, b: b if a < b else a, arrays.larger),
    Op.FLOOR: _intrinsic(
        "floor", "floor", lambda a: float(math.floor(a)), arrays.of_real(np.floor), (None,),
        interval=lambda x: (x[0] - 1.0, x[1]), latex="\\left\\lfloor {x} \\right\\rfloor", pieces=(1, np.floor),
    ),
    Op.LT: _comparison("<", lambda a, b: a < b, "olt", "<"),
    Op.LE: _comparison("<=", lambda a, b: a <= b, "ole", "\\le"),
    Op.EQ: _comparison("==", lambda a, b: a == b, "oeq", "=", javascript="{a} === {b}", commutative=True),
    Op.SELECT: Operation(
        "brr", "select", lambda condition, a, b: a if condition else b, np.where,
        interval=lambda _, x, y: interval.hull(x, y), partials=(None, slopes.taken(0), slopes.taken(1)),
        pieces=(1, lambda condition: condition),
        c="{a} ? {b} : {c}", javascript="{a} ? {b} : {c}", llvm="%t{r} = select {B} {a}, {T} {b}, {T} {c}",
        latex="\\begin{{cases}} {b} & {a} \\\\ {c} & \\text{{otherwise}} \\end{{cases}}",
    ),
    Op.GATHER: Operation("r", "gather", partials=(None,), pieces=(1, np.floor)),
    Op.REM: _function(
        "fmod", math.fmod, arrays.remainder, (constant(1.0), slopes.whole_times), "\\operatorname{{rem}}",
        interval=lambda x, _: (min(x[0], 0.0), max(x[1], 0.0)), exact="", javascript="{a} % {b}", printed="rem",
        pieces=(2, lambda a, b: np.trunc(a / b)),
    ),
}  # fmt: skip

ARITY = tuple(len(OPERATIONS[op].takes) for op in Op)  # how many operands are nodes
VALUES = {op: of.value for op, of in OPERATIONS.items() if of.value}  # on floats
PIECES = {op: of.pieces for op, of in OPERATIONS.items() if of.pieces}
CONDITIONS = frozenset(op for op in Op if OPERATIONS[op].gives == "b")
