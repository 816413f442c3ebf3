"""Values of graphs to sixty digits, with what is undefined as NaN: the judge of merging."""

import random
from collections.abc import Mapping, Sequence
from typing import Any

import mpmath

from anyjoint.symbolic import Node, Op
from anyjoint.symbolic.graph import Graph
from anyjoint.symbolic.op import clamp_index
from anyjoint.symbolic.reading import read
from anyjoint.symbolic.rewrite import reachable

mp = mpmath.mp.clone()
mp.dps = 60
NAN = mp.nan


def _real(f: Any) -> Any:
    """A function that is NaN where it is undefined."""

    def rule(*x: Any) -> Any:
        try:
            y = f(*x) if not any(map(mp.isnan, x)) else NAN
        except (ZeroDivisionError, ValueError, OverflowError):
            return NAN
        return y if isinstance(y, mp.mpf) and mp.isfinite(y) else NAN

    return rule


def _power(a: Any, b: Any) -> Any:
    return NAN if a == 0 and b < 0 else mp.power(a, b)


RULES: dict[int, Any] = {
    Op.ADD: _real(lambda a, b: a + b),
    Op.SUB: _real(lambda a, b: a - b),
    Op.MUL: _real(lambda a, b: a * b),
    Op.DIV: _real(lambda a, b: a / b),
    Op.NEG: _real(lambda a: -a),
    Op.SQRT: _real(mp.sqrt),
    Op.SIN: _real(mp.sin),
    Op.COS: _real(mp.cos),
    Op.TAN: _real(mp.tan),
    Op.ASIN: _real(mp.asin),
    Op.ACOS: _real(mp.acos),
    Op.ATAN2: _real(mp.atan2),
    Op.EXP: _real(mp.exp),
    Op.LOG: _real(mp.log),
    Op.POW: _real(_power),
    Op.ABS: _real(abs),
    Op.MIN: _real(min),
    Op.MAX: _real(max),
    Op.FLOOR: _real(mp.floor),
    Op.REM: _real(lambda a, b: mp.sign(a) * (abs(a) - abs(b) * mp.floor(abs(a) / abs(b)))),
    Op.LT: lambda a, b: a < b,
    Op.LE: lambda a, b: a <= b,
    Op.EQ: lambda a, b: a == b,
    Op.SELECT: lambda c, a, b: a if c else b,
}


def exact_values(outputs: Sequence[Node], values: Mapping[Node, Any], shake: random.Random | None = None) -> list[Any]:
    """The values of some nodes of one graph; `shake` moves constants, rounded as they are, by two units at most."""
    g = outputs[0].graph
    known = {x.id: mp.mpf(value) for x, value in values.items()}
    for i in reachable(g, [x.id for x in outputs]):
        if i not in known:
            known[i] = _value(g, i, known, shake)
    return [known[x.id] for x in outputs]


def _value(g: Graph, i: int, known: Mapping[int, Any], shake: random.Random | None) -> Any:
    op = g.op[i]
    if op == Op.CONST:
        return meaning(g.value(i)) * (1 + (mp.mpf(2) ** -51 * shake.uniform(-1, 1) if shake else 0))
    if op == Op.GATHER:
        index = known[g.a[i]]
        table = g.tables[g.b[i]]
        return meaning(table[0 if mp.isnan(index) else clamp_index(float(index), len(table))])
    return RULES[op](*(known[x] for x in g.operands(i)))


def meaning(x: float) -> Any:
    """The number that a float means."""
    number = read(x)
    value = mp.mpf(number.factor.numerator) / number.factor.denominator * mp.sqrt(number.root)
    return value * mp.mpf(float(mpmath.pi)) if number.has_pi else value


def disagreements(
    before: Sequence[Node], after: Sequence[Node], points: Sequence[Mapping[Node, Any]], seed: int = 1
) -> list[str]:
    """Where new expressions are not what the old ones are, by more than constants changed in their last bits explain.

    A new expression may be defined where the old one is not, never the other way round. A difference that depends on
    the number of digits is one of rounding: the root of what is zero up to that, or its comparison with zero.
    """
    shake = random.Random(seed)
    found = []
    for point in points:
        different = set(range(len(before)))
        for digits in (60, 71, 83, 97):
            with mp.workdps(digits):
                different &= _different(before, after, point, shake)
            if not different:
                break
        found += [f"output {k} at {[float(x) for x in point.values()]}" for k in sorted(different)]
    return found


def _different(
    before: Sequence[Node], after: Sequence[Node], point: Mapping[Node, Any], shake: random.Random
) -> set[int]:
    """Which outputs differ at a point, in so many digits."""
    old, new = exact_values(before, point), exact_values(after, point)
    shaken = [exact_values(before, point, shake) for _ in range(4)]
    found = set()
    for k, (x, y) in enumerate(zip(old, new, strict=True)):
        moves = [abs(values[k] - x) for values in shaken]
        if mp.isnan(x) or any(mp.isnan(move) for move in moves):
            continue  # undefined, or at the edge of that
        if mp.isnan(y) or abs(x - y) > 64 * max(moves) + 1e-13 * max(1, abs(x)):
            found.add(k)
    return found
