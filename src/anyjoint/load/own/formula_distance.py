"""A signed distance written as a formula of x, y and z, and plain functions of a point turned into such formulas."""

from __future__ import annotations

from anyjoint.errors import InputError
from anyjoint.frozen import frozen
from anyjoint.geometry.distances import Distance
from anyjoint.geometry.distances.distance import FunctionDistance
from anyjoint.scalar import Scalar
from anyjoint.spatial import Vector, vector

from .expression import Expression
from .formula_joint import Named
from .traced import traced
from .where import NOTHING, Where

POINT = ("x", "y", "z")


@frozen
class FormulaDistance(Distance):
    """The value of a formula at a point; `numbers` are what it calls by name beside x, y and z."""

    formula: Expression
    numbers: tuple[Named, ...] = ()
    where: Where = NOTHING

    def __post_init__(self) -> None:
        given = {number.name for number in self.numbers}
        for name in sorted(given & set(POINT)):
            raise InputError(f"{name!r} means something in formulas of a point already; choose another name")
        self.where.check([*POINT, *sorted(given)], [self.formula], "coordinate of a point, or parameter,")

    def __call__(self, p: Vector) -> Scalar:
        own = {number.name: number.value for number in self.numbers}
        return self.formula.value(self.where.filled({**own, **dict(zip(POINT, p, strict=True))}))


def formula_of(distance: FunctionDistance) -> FormulaDistance:
    """The formula that a plain function computes; what formulas cannot say is refused."""
    (formula,), where = traced(distance.function, POINT, lambda p: [distance(vector(*p))])
    return FormulaDistance(formula, (), where)
