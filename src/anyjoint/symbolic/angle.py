"""Sine, cosine and exponential of a linear combination of atoms: addition theorems, exactly.

An argument is split into rational multiples of atoms: nodes that are no sums or rational multiples themselves, the
number one, and pi. Each atom x gets a random point of the unit circle, which stands for the angle x / D with the
common denominator D of all multiples, and the argument's point is the product of whole powers of these. So sin(2 x),
sin(x / 3) and cos(x + y) are what the addition theorems say, pi is the half turn, and whatever else there is to say
about sine and cosine is not said. An exponential is the same with a random number in place of a point, and a logarithm
takes it back.

The cosine and sine of an inverse function are algebraic: cos(asin y) is the root of 1 - y^2.
"""

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING

from anyjoint.symbolic.field import TURN, Circle, Value, bytes_of
from anyjoint.symbolic.interval import holds_zero
from anyjoint.symbolic.ops import Op
from anyjoint.symbolic.reading import read

if TYPE_CHECKING:
    from anyjoint.symbolic.evaluation import Evaluation

_ONE, _PI = -1, -2  # atoms that are not rows
_MOST_ATOMS = 12
# D, and multiples times D: the degree of what is evaluated, which has to be small against the primes.
_LARGEST_DENOMINATOR, _LARGEST_POWER = 2**12, 2**16
_TRANSCENDENTAL = (Op.SIN, Op.COS, Op.TAN, Op.EXP)

Form = Mapping[int, Fraction]  # atom -> how much of it


class Angles:
    """Points of the circle and exponentials for the rows of an evaluation."""

    def __init__(self, e: "Evaluation") -> None:
        self._e = e
        self._forms: dict[int, Form] = {}
        self._circles: dict[bytes, Circle] = {}
        self._exponentials: dict[bytes, Value] = {}
        self._logarithms: dict[bytes, Value] = {}
        arguments = sorted({e.operands[row][0] for row, op in enumerate(e.op) if op in _TRANSCENDENTAL})
        for row in arguments:
            self._find_form(row)
        self._denominator = self._common_denominator(arguments)

    def circle(self, row: int) -> Circle:
        """The cosine and sine of a row's value."""
        key = self._e.key(row)
        if key not in self._circles:
            field = self._e.field
            point = field.part(0, 1)
            for atom, multiple in self._forms[row].items():
                point = field.turned(point, self._multiple(atom, multiple))
            self._circles[key] = point
        return self._circles[key]

    def exponential(self, row: int) -> Value:
        """The exponential of a row's value."""
        key = self._e.key(row)
        if key not in self._exponentials:
            field = self._e.field
            value = field.whole(1)
            for atom, multiple in self._forms[row].items():
                name, sign = self._name(atom)
                power = sign * multiple * self._denominator
                value = field.mul(value, field.power(field.element(b"exp " + name), int(power)))
            self._exponentials[key] = value
            self._logarithms.setdefault(bytes_of(value), self._e.value(row))
        return self._exponentials[key]

    def logarithm(self, row: int) -> Value:
        """The logarithm of a row's value: a sum over its factors, as far as these are never negative."""
        e, field = self._e, self._e.field
        total, rows = field.whole(0), [(row, 1)]
        while rows:
            row, sign = rows.pop()
            op, operands, key = e.op[row], e.operands[row], e.key(row)
            if key not in self._logarithms and op in (Op.MUL, Op.DIV) and all(e.sign(x) > 0 for x in operands):
                rows += [(operands[0], sign), (operands[1], sign if op == Op.MUL else -sign)]
                continue
            part = self._logarithms.setdefault(key, field.element(b"log " + key))
            total = field.add(total, part) if sign > 0 else field.sub(total, part)
        return total

    def atoms(self, row: int) -> tuple[int, ...]:
        """The atoms of an argument."""
        return tuple(self._forms[row])

    # Points

    def _multiple(self, atom: int, multiple: Fraction) -> Circle:
        """The point of a multiple of an atom."""
        field = self._e.field
        if atom == _PI and (parts := multiple * TURN / 2).denominator == 1:
            return field.part(int(parts), TURN)
        if atom >= 0 and self._is_algebraic(atom) and multiple.denominator == 1:
            return field.turns(*self._of_inverse(atom), int(multiple))
        name, sign = self._name(atom)
        return field.turns(*field.circle(b"circle " + name), int(sign * multiple * self._denominator))

    def _name(self, atom: int) -> tuple[bytes, int]:
        """What names an atom, and the sign of it that is meant: x and -x are one atom."""
        e = self._e
        if atom < 0:
            return (b"one" if atom == _ONE else b"pi"), 1
        names = [bytes_of(e.value(atom)), bytes_of(e.field.neg(e.value(atom)))]
        return min(names), 1 if names[0] <= names[1] else -1

    def _is_algebraic(self, row: int) -> bool:
        """Whether the cosine and sine of a row are: of asin, acos, and atan2 away from (0, 0), where it is zero."""
        e = self._e
        if e.op[row] == Op.ATAN2:
            return not all(holds_zero(e.interval[x]) for x in e.operands[row])
        return e.op[row] in (Op.ASIN, Op.ACOS)

    def _of_inverse(self, row: int) -> Circle:
        """The cosine and sine of asin, acos or atan2."""
        e, field = self._e, self._e.field
        y = e.value(e.operands[row][0])
        if e.op[row] == Op.ATAN2:
            x = e.value(e.operands[row][1])
            scale = field.inverse(e.radicals.root(field.add(field.mul(x, x), field.mul(y, y)), row))
            return field.mul(x, scale), field.mul(y, scale)
        other = e.radicals.root(field.sub(field.whole(1), field.mul(y, y)), row)
        return (other, y) if e.op[row] == Op.ASIN else (y, other)

    # Linear forms

    def _find_form(self, row: int) -> None:
        """Fill in the form of a row and of all that it is made of, without recursion."""
        stack = [row]
        while stack:
            top = stack[-1]
            parts = [x for x in self._linear_parts(top) if x not in self._forms]
            if top in self._forms or not parts:
                stack.pop()
                self._forms.setdefault(top, self._form(top))
            else:
                stack.extend(parts)

    def _linear_parts(self, row: int) -> tuple[int, ...]:
        """The operands that a row is a linear combination of with rational factors; none for an atom."""
        e, op, operands = self._e, self._e.op[row], self._e.operands[row]
        if op in (Op.ADD, Op.SUB, Op.NEG):
            return operands
        if op == Op.MUL and self._factor(operands[0]):
            return (operands[1],)
        return (operands[0],) if op == Op.DIV and self._factor(operands[1]) and e.op[operands[0]] != Op.CONST else ()

    def _factor(self, row: int) -> Fraction | None:
        """The number of a constant row, if it is a fraction and not zero."""
        value = self._e.constant(row)
        number = None if value is None else read(value)
        return number.factor if number and number.root == 1 and not number.has_pi and number.factor else None

    def _form(self, row: int) -> Form:
        """The form of a row from those of its operands; the row itself if it is an atom, or too long a form."""
        e, op, operands = self._e, self._e.op[row], self._e.operands[row]
        atom = {row: Fraction(1)}
        parts = [self._forms[x] for x in self._linear_parts(row)]
        form: dict[int, Fraction] = {}
        if op == Op.CONST:
            number = read(e.g.value(e.ids[row]))
            form = {_PI if number.has_pi else _ONE: number.factor} if number.root == 1 else atom
        elif not parts:
            return atom
        elif op in (Op.MUL, Op.DIV):
            factor = self._factor(operands[0]) if op == Op.MUL else 1 / (self._factor(operands[1]) or Fraction(1))
            form = {x: c * (factor or 1) for x, c in parts[0].items()}
        else:
            signs = {Op.ADD: (1, 1), Op.SUB: (1, -1), Op.NEG: (-1,)}[Op(op)]
            for sign, part in zip(signs, parts, strict=True):
                for x, c in part.items():
                    form[x] = form.get(x, Fraction(0)) + sign * c
        form = {x: c for x, c in form.items() if c}
        simple = all(abs(c) <= _LARGEST_POWER and c.denominator <= _LARGEST_DENOMINATOR for c in form.values())
        return form if simple and len(form) <= _MOST_ATOMS else atom

    def _common_denominator(self, arguments: list[int]) -> int:
        """D for as many arguments as it stays small for; the others become atoms."""
        common = 1
        for row in arguments:
            larger = math.lcm(common, *(c.denominator for c in self._forms[row].values()))
            if larger <= _LARGEST_DENOMINATOR:
                common = larger
        for row in arguments:
            powers = [c * common for c in self._forms[row].values()]
            if any(x.denominator > 1 or abs(x) > _LARGEST_POWER for x in powers):
                self._forms[row] = {row: Fraction(1)}
        return common
