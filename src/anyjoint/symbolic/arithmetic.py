"""Simplification of sums, products, quotients and powers while they are built.

Normal form: constants first in sums and products; no negative constant in a sum or product; signs move outward, so
that `a * b` and `-a * b` share one product; `a - b` is never stored next to `b - a`.
A rule never makes a number that is not finite: `1 / 0` stays a division.
"""

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from anyjoint.errors import ExpressionError
from anyjoint.symbolic.ops import OPERATIONS, VALUES, Op
from anyjoint.symbolic.reading import product, quotient, total

if TYPE_CHECKING:
    from anyjoint.symbolic.graph import Graph

# Plain ints: comparing with an IntEnum member costs a look-up in a class.
_CONST, _ADD, _SUB, _MUL, _DIV, _NEG = (int(x) for x in (Op.CONST, Op.ADD, Op.SUB, Op.MUL, Op.DIV, Op.NEG))
_SQRT, _POW, _LT, _EQ = (int(x) for x in (Op.SQRT, Op.POW, Op.LT, Op.EQ))
_SPREAD = 0x2545F491  # as in graph.py; the fast paths below inline Graph.key

# Operands for which a rule has something to do; the rest takes the fast path.
SPECIAL = tuple(op in (Op.CONST, Op.NEG, Op.LT, Op.LE, Op.EQ) for op in Op)

# Operations on constants that are rounded once, from what the constants mean.
_EXACT: dict[int, Callable[..., float]] = {
    Op.ADD: total,
    Op.SUB: lambda a, b: total(a, -b),
    Op.MUL: product,
    Op.DIV: quotient,
}

_EXPANDED_POWER = 16  # integer powers up to here become products


def add(g: "Graph", a: int, b: int, _c: int = -1) -> int:
    """a + b."""
    op = g.op
    if SPECIAL[op[a]] or SPECIAL[op[b]]:
        return _add_special(g, a, b)
    if a == b:
        return mul(g, g.constant_id(2.0), a)
    if a > b:
        a, b = b, a
    key = (a * _SPREAD + b + 1) * 32 + _ADD
    new = len(op)
    found = g.keys.setdefault(key, new)
    if found == new:
        op.append(_ADD)
        g.a.append(a)
        g.b.append(b)
        g.c.append(-1)
    return found


def _add_special(g: "Graph", a: int, b: int) -> int:
    oa, ob = g.op[a], g.op[b]
    if _LT <= oa <= _EQ or _LT <= ob <= _EQ:
        refuse_conditions(g, _ADD, a, b)
    if oa == _CONST:
        return folded(g, _ADD, a, b) if ob == _CONST else _add_constant(g, g.constants[g.a[a]], b)
    if ob == _CONST:
        return _add_constant(g, g.constants[g.a[b]], a)
    if oa == _NEG:
        return neg(g, add(g, g.a[a], g.a[b])) if ob == _NEG else sub(g, b, g.a[a])
    return sub(g, a, g.a[b])


def _add_constant(g: "Graph", k: float, x: int) -> int:
    """k + x, with a constant inside x pulled out."""
    op = g.op[x]
    if k == 0.0:
        return x
    if op == _NEG:
        return sub(g, g.constant_id(k), g.a[x])
    left, right = g.a[x], g.b[x]
    if op == _ADD and g.op[left] == _CONST and _is_finite(constant := total(k, g.constants[g.a[left]])):
        return _add_constant(g, constant, right)
    if op == _SUB and g.op[right] == _CONST and _is_finite(constant := total(k, -g.constants[g.a[right]])):
        return _add_constant(g, constant, left)
    if op == _SUB and g.op[left] == _CONST and _is_finite(constant := total(k, g.constants[g.a[left]])):
        return sub(g, g.constant_id(constant), right)
    if k < 0.0:
        return _difference(g, x, g.constant_id(-k))
    return g.intern(_ADD, g.constant_id(k), x)


def sub(g: "Graph", a: int, b: int, _c: int = -1) -> int:
    """a - b."""
    oa, ob = g.op[a], g.op[b]
    if SPECIAL[oa] or SPECIAL[ob]:
        if _LT <= oa <= _EQ or _LT <= ob <= _EQ:
            refuse_conditions(g, _SUB, a, b)
        if oa == _CONST and ob == _CONST:
            return folded(g, _SUB, a, b)
        if ob == _CONST:
            return _add_constant(g, -g.constants[g.a[b]], a)
        if ob == _NEG:
            return add(g, a, g.a[b])
        if oa == _NEG:
            return neg(g, add(g, g.a[a], b))
        if oa == _CONST:
            return _subtract_from_constant(g, g.constants[g.a[a]], b)
    if a == b:
        return g.constant_id(0.0)
    return _difference(g, a, b)


def _subtract_from_constant(g: "Graph", k: float, x: int) -> int:
    """k - x, with a constant inside x pulled out."""
    op, left, right = g.op[x], g.a[x], g.b[x]
    if k == 0.0:
        return neg(g, x)
    if op == _ADD and g.op[left] == _CONST and _is_finite(constant := total(k, -g.constants[g.a[left]])):
        return sub(g, g.constant_id(constant), right)
    if op == _SUB and g.op[right] == _CONST and _is_finite(constant := total(k, g.constants[g.a[right]])):
        return sub(g, g.constant_id(constant), left)
    if op == _SUB and g.op[left] == _CONST and _is_finite(constant := total(k, -g.constants[g.a[left]])):
        return _add_constant(g, constant, right)
    if k < 0.0:
        return neg(g, _add_constant(g, -k, x))
    return _difference(g, g.constant_id(k), x)


def _difference(g: "Graph", a: int, b: int) -> int:
    """a - b, unless b - a is there already: then its negative."""
    keys = g.keys
    key = (a * _SPREAD + b + 1) * 32 + _SUB
    found = keys.get(key)
    if found is None:
        reverse = keys.get((b * _SPREAD + a + 1) * 32 + _SUB)
        if reverse is not None:
            return neg(g, reverse)
        found = keys[key] = len(g.op)
        g.op.append(_SUB)
        g.a.append(a)
        g.b.append(b)
        g.c.append(-1)
    return found


def mul(g: "Graph", a: int, b: int, _c: int = -1) -> int:
    """a * b."""
    op = g.op
    if SPECIAL[op[a]] or SPECIAL[op[b]]:
        return _mul_special(g, a, b)
    if a > b:
        a, b = b, a
    key = (a * _SPREAD + b + 1) * 32 + _MUL
    new = len(op)
    found = g.keys.setdefault(key, new)
    if found == new:
        op.append(_MUL)
        g.a.append(a)
        g.b.append(b)
        g.c.append(-1)
    return found


def _mul_special(g: "Graph", a: int, b: int) -> int:
    oa, ob = g.op[a], g.op[b]
    if _LT <= oa <= _EQ or _LT <= ob <= _EQ:
        refuse_conditions(g, _MUL, a, b)
    if oa == _CONST:
        return folded(g, _MUL, a, b) if ob == _CONST else _scale(g, g.constants[g.a[a]], b)
    if ob == _CONST:
        return _scale(g, g.constants[g.a[b]], a)
    if oa == _NEG and ob == _NEG:
        return mul(g, g.a[a], g.a[b])
    return neg(g, mul(g, g.a[a], b) if oa == _NEG else mul(g, a, g.a[b]))


def _scale(g: "Graph", k: float, x: int) -> int:
    """k * x, with sign and constant factors of x pulled out."""
    if k == 0.0:
        return g.constant_id(0.0)
    negative = k < 0.0
    if negative:
        k = -k
    if g.op[x] == _NEG:
        negative = not negative
        x = g.a[x]
    left = g.a[x]
    if g.op[x] == _MUL and g.op[left] == _CONST and _is_normal(constant := product(k, g.constants[g.a[left]])):
        k, x = constant, g.b[x]
    elif g.op[x] == _DIV and g.op[left] == _CONST and _is_normal(constant := product(k, g.constants[g.a[left]])):
        quotient = div(g, g.constant_id(constant), g.b[x])
        return neg(g, quotient) if negative else quotient
    result = x if k == 1.0 else g.intern(_MUL, g.constant_id(k), x)
    return neg(g, result) if negative else result


def div(g: "Graph", a: int, b: int, _c: int = -1) -> int:
    """a / b. x / x is kept: it is not 1 at 0."""
    oa, ob = g.op[a], g.op[b]
    if SPECIAL[oa] or SPECIAL[ob]:
        if _LT <= oa <= _EQ or _LT <= ob <= _EQ:
            refuse_conditions(g, _DIV, a, b)
        if oa == _CONST and ob == _CONST:
            return folded(g, _DIV, a, b)
        if oa == _NEG or ob == _NEG:
            quotient = div(g, g.a[a] if oa == _NEG else a, g.a[b] if ob == _NEG else b)
            return quotient if oa == ob else neg(g, quotient)
        if ob == _CONST:
            return _divide_by_constant(g, a, g.constants[g.a[b]])
        if oa == _CONST:
            k = g.constants[g.a[a]]
            if k == 0.0:
                return a
            if k < 0.0:
                return neg(g, g.intern(_DIV, g.constant_id(-k), b))
    return g.intern(_DIV, a, b)


def _divide_by_constant(g: "Graph", a: int, k: float) -> int:
    if k != 0.0:
        if k < 0.0:
            return neg(g, _divide_by_constant(g, a, -k))
        if math.frexp(k)[0] == 0.5 and _is_normal(1.0 / k):  # a power of two: its reciprocal is exact
            return _scale(g, 1.0 / k, a)
    return g.intern(_DIV, a, g.constant_id(k))


def neg(g: "Graph", a: int, _b: int = -1, _c: int = -1) -> int:
    """-a."""
    op = g.op[a]
    if op == _NEG:
        return g.a[a]
    if op == _CONST:
        return g.constant_id(-g.constants[g.a[a]])
    refuse_conditions(g, _NEG, a)
    if op == _SUB:
        reverse = g.keys.get((g.b[a] * _SPREAD + g.a[a] + 1) * 32 + _SUB)
        if reverse is not None:
            return reverse
    return g.intern(_NEG, a)


def power(g: "Graph", a: int, b: int, _c: int = -1) -> int:
    """a ** b; small integer powers become products, a half becomes a square root."""
    refuse_conditions(g, _POW, a, b)
    if g.op[b] != _CONST:
        return g.intern(_POW, a, b)
    k = g.constants[g.a[b]]
    if g.op[a] == _CONST:
        return folded(g, _POW, a, b)
    if k == 0.5:
        return g.node(_SQRT, a)
    if k == int(k) and abs(k) <= _EXPANDED_POWER:
        result = _integer_power(g, a, abs(int(k)))
        return result if k >= 0 else div(g, g.constant_id(1.0), result)
    return g.intern(_POW, a, b)


def _integer_power(g: "Graph", a: int, n: int) -> int:
    """a**n by repeated squaring, lowest bit first."""
    result, square = -1, a
    while n:
        if n & 1:
            result = square if result < 0 else mul(g, result, square)
        n >>= 1
        if n:
            square = mul(g, square, square)
    return g.constant_id(1.0) if result < 0 else result


def folded(g: "Graph", op: int, *operands: int) -> int:
    """The number that an operation on constants gives, or the operation itself if that is not finite."""
    try:
        value = (_EXACT.get(op) or VALUES[op])(*(g.constants[g.a[i]] for i in operands))
    except (ValueError, ZeroDivisionError, OverflowError):
        return g.intern(op, *operands)
    return g.constant_id(value) if _is_finite(value) else g.intern(op, *operands)


def refuse_conditions(g: "Graph", op: int, *operands: int) -> None:
    """Raise if an operand is a condition, which is not a number."""
    for x in operands:
        if _LT <= g.op[x] <= _EQ:
            function, condition = OPERATIONS[op].printed, OPERATIONS[g.op[x]].printed
            raise ExpressionError(
                f"{function!r} was given the condition {condition!r}; expected a number: "
                "turn a condition into one with select(condition, 1.0, 0.0)."
            )


def _is_finite(x: float) -> bool:
    return math.isfinite(x)


def _is_normal(x: float) -> bool:
    """Neither overflown nor so small that bits are lost."""
    return 1e-300 < abs(x) < 1e300
