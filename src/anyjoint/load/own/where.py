"""What formulas name on their way: values that several of them use, and tables of numbers."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from anyjoint.errors import InputError
from anyjoint.frozen import frozen
from anyjoint.options import nearest
from anyjoint.scalar import Scalar, is_real

from .expression import MEANT, Expression
from .text import Json

KEYS = ("where", "tables")


@frozen
class Where:
    """Values by name, each of which may use those before it, and tables by name, for gather."""

    values: tuple[tuple[str, Expression], ...] = ()
    tables: tuple[tuple[str, tuple[float, ...]], ...] = ()

    def filled(self, given: Mapping[str, Scalar]) -> Json:
        """What is given, with these values and tables beside."""
        made: Json = {**given, **dict(self.tables)}
        for name, formula in self.values:
            made[name] = formula.value(made)
        return made

    def check(self, given: Collection[str], formulas: Iterable[Expression], whose: str) -> None:
        """Refuse names that mean something already, and names that mean nothing where they stand."""
        known, tables = set(given), [name for name, _ in self.tables]
        for name in (*given, *(name for name, _ in self.values), *tables):
            if name in MEANT:
                raise InputError(f"{name!r} means something in formulas already; choose another name")
        for name, formula in (*self.values, *(("", x) for x in formulas)):
            for missing in sorted(formula.names() - known):
                raise InputError(f"there is no {whose} {missing!r}{nearest(missing, sorted(known))}")
            for missing in sorted(formula.tables() - set(tables)):
                raise InputError(f"there is no table {missing!r}{nearest(missing, tables) if tables else ''}")
            if name in known or name in tables:
                raise InputError(f"{name!r} is there already; choose another name")
            known |= {name} if name else set()

    def used(self, formulas: Iterable[Expression]) -> set[str]:
        """All names in these formulas and in the values."""
        return {name for formula in (*formulas, *(f for _, f in self.values)) for name in formula.names()}


NOTHING = Where()


def formula(given: Any) -> Expression:
    """A formula from a text or a number."""
    return Expression(repr(float(given)) if is_real(given) else given)


def encoded_where(where: Where) -> Json:
    """Both parts as JSON, where they are not empty."""
    values = {name: f.text for name, f in where.values}
    tables = {name: list(numbers) for name, numbers in where.tables}
    return {key: part for key, part in zip(KEYS, (values, tables), strict=True) if part}


def decoded_where(owner: Mapping[str, Any]) -> Where:
    """Both parts of an object."""
    values, tables = (owner.get(key, {}) for key in KEYS)
    if not isinstance(values, Mapping):
        raise InputError(f"'where' is formulas by name, got {values!r}")
    good = isinstance(tables, Mapping) and all(
        isinstance(x, list) and x and all(map(is_real, x)) for x in tables.values()
    )
    if not good:
        raise InputError(f"'tables' is lists of numbers by name, got {tables!r}")
    made = tuple((name, tuple(map(float, numbers))) for name, numbers in tables.items())
    return Where(tuple((name, formula(x)) for name, x in values.items()), made)
