"""Questions about derivatives times vectors: what is asked for is checked, made or found, and answered by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from anyjoint.errors import InputError
from anyjoint.frozen import frozen
from anyjoint.quantity import Quantity, Row
from anyjoint.quantity.product import NUMBERS, WEIGHTS, change_of, hvp, jvp, vjp
from anyjoint.scalar import reals
from anyjoint.scalar.array import ArrayLike, Floats

from .arguments import checked_flag, checked_row, checked_rows
from .method import completed
from .products import Kind, Product, check_names, known_quantity
from .program import Program
from .redundancy import ROWS, check_ranks, warn_of_redundancy

if TYPE_CHECKING:
    from anyjoint.model import Model


def asked_jvp(
    model: Model, quantity: str, point: Sequence[ArrayLike], direction: Sequence[object] | Mapping[str, object],
    raw: bool, threads: int,
) -> tuple[Any, Any]:  # fmt: skip
    """As `Model.jvp` says."""
    asked = Asked.of(model, "jvp", quantity, point)
    changes = _by_name(asked, direction)
    rows, parameters = asked.sorted_names(tuple(changes))
    product = asked.product(jvp, rows, parameters, raw)
    row = asked.evaluate(product, (*asked.rows, *asked.changes(product, changes)), threads)
    parts = _split(product.program, row)
    half = len(asked.quantity.outputs)
    return _one_or_all(parts[:half]), _one_or_all(parts[half:])


def asked_vjp(
    model: Model, quantity: str, point: Sequence[ArrayLike], weights: Any, wrt: Sequence[str] | None, raw: bool,
    threads: int,
) -> tuple[Any, dict[str, Floats]]:  # fmt: skip
    """As `Model.vjp` says."""
    asked = Asked.of(model, "vjp", quantity, point)
    rows, parameters = asked.sorted_names(asked.names if wrt is None else named("vjp", wrt))
    product = asked.product(vjp, rows, parameters, raw)
    row = asked.evaluate(product, (*asked.rows, asked.weights(product, weights)), threads)
    parts = _split(product.program, row)
    half = len(asked.quantity.outputs)
    return _one_or_all(parts[:half]), _gradients(product, rows, parts[half:])


def asked_hvp(
    model: Model, quantity: str, point: Sequence[ArrayLike], weights: Any,
    direction: Sequence[object] | Mapping[str, object], wrt: Sequence[str] | None, raw: bool, threads: int,
) -> dict[str, Floats]:  # fmt: skip
    """As `Model.hvp` says."""
    asked = Asked.of(model, "hvp", quantity, point)
    changes = _by_name(asked, direction)
    wanted = (*asked.names, *(x for x in changes if x not in asked.names)) if wrt is None else named("hvp", wrt)
    rows, parameters = asked.sorted_names((*wanted, *(x for x in changes if x not in wanted)))
    product = asked.product(hvp, rows, parameters, raw)
    given = (*asked.rows, asked.weights(product, weights), *asked.changes(product, changes))
    parts: tuple[Any, ...] = _split(product.program, asked.evaluate(product, given, threads))
    skipped = len(asked.quantity.outputs) + (len(parts) - len(asked.quantity.outputs)) // 2
    found = dict(zip(rows, parts[skipped:], strict=False))
    if product.numbers:
        own = {name: change for name, change in changes.items() if name in parameters}
        by_parameters = product.numbers.pull_rates(parts[skipped - 1], parts[-1], own)
        found |= {name: x.astype(product.program.dtype, copy=False) for name, x in by_parameters.items()}
    return {name: found[name] for name in wanted}


@frozen
class Asked:
    """A question about derivatives: the quantity, and where."""

    model: Model
    what: str  # the method that asks
    quantity: Quantity
    rows: tuple[Any, ...]

    @staticmethod
    def of(model: Model, what: str, name: str, point: Sequence[ArrayLike]) -> Asked:
        """Check the quantity and complete its arguments."""
        quantity = known_quantity(model, what, name)
        given = quantity.given(model.mechanism)
        if not isinstance(point, (tuple, list)) or len(point) > len(given):
            names = ", ".join(row.name for row in given)
            raise InputError(f"{what}: the point of {quantity.name} is a tuple ({names})")
        named = {row.name: x for row, x in zip(given, point, strict=False) if x is not None}
        arrays = completed(model, quantity, given, (), named)
        if len(arrays) < len(given):
            raise InputError(f"{what}: the point of {quantity.name} lacks {given[len(arrays)].name!r}")
        rows = tuple(_flat_row(model, row, x) for row, x in zip(given, arrays, strict=True))
        return Asked(model, what, quantity, rows)

    @property
    def names(self) -> tuple[str, ...]:
        """The quantity's arguments."""
        return tuple(row.name for row in self.quantity.given(self.model.mechanism))

    def sorted_names(self, given: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Names of arguments and of parameters among those given."""
        check_names(self.model.mechanism, self.what, self.quantity.name, self.names, given)
        parameters = [name for name in given if name not in self.names]
        return tuple(name for name in self.names if name in given), tuple(dict.fromkeys(parameters))

    def product(self, kind: Kind, rows: tuple[str, ...], parameters: tuple[str, ...], raw: bool) -> Product:
        """The machine code; when it is made, parameters are named by which there is no derivative at the point."""
        by_coordinates = checked_flag(self.what, "raw", raw)
        made, is_new = self.model.products.get(kind, self.quantity, rows, parameters, by_coordinates)
        if made.program.trace.closed and self.quantity.name not in ROWS:
            what, mechanism = f"{self.what} {self.quantity.name}", self.model.mechanism
            inputs = [(row.name, row.size(mechanism)) for row in self.quantity.given(mechanism)]
            checked, _ = checked_rows(what, self.rows, inputs, self.model.dtype)
            given = dict(zip(self.names, checked, strict=True))
            check_ranks(self.model, what, given["q"], given.get("t"))
            if is_new and all(np.atleast_2d(x).shape[0] for x in given.values()):
                first = {name: np.atleast_2d(x)[0] for name, x in given.items()}
                warn_of_redundancy(self.model, what, first["q"], first.get("t"), parameters, 3)
        return made

    def weights(self, product: Product, given: Any) -> Floats:
        """Weights of the outputs as one row."""
        size = dict(product.program.inputs)[WEIGHTS]
        parts = given if isinstance(given, tuple) else (given,)
        shapes = [row.shape(self.model.mechanism) for row in self.quantity.outputs]
        try:
            rows = [reals(x) for x in parts]
            if len(rows) == len(shapes):
                rows = [x.reshape(*x.shape[: x.ndim - len(s)], -1) if x.shape[x.ndim - len(s):] == s else x
                        for x, s in zip(rows, shapes, strict=True)]  # fmt: skip
            batch = np.broadcast_shapes(*(x.shape[:-1] for x in rows))
            row = np.concatenate([np.broadcast_to(x, (*batch, x.shape[-1])) for x in rows], axis=-1)
        except (TypeError, ValueError, IndexError) as error:
            wanted = ", ".join(f"{x.name} {s}" for x, s in zip(self.quantity.outputs, shapes, strict=True))
            raise InputError(f"{self.what}: weights={given!r}; expected numbers like the answer: {wanted}") from error
        return checked_row(self.what, row, WEIGHTS, size, self.model.dtype)

    def changes(self, product: Product, given: Mapping[str, Any]) -> list[Any]:
        """Changes of everything that a product is differentiated by, in its order; zero where none is given."""
        made = []
        by = {change_of(name): name for name in (*self.names, NUMBERS)}
        for row in (x for x in product.program.quantity.inputs if x.name in by):
            name = by[row.name]
            if name == NUMBERS and product.numbers:
                own = {x: change for x, change in given.items() if x not in self.names}
                made.append(product.numbers.push(own).astype(self.model.dtype))
            elif name in given:
                made.append(_flat_row(self.model, row, given[name]))
            else:
                made.append(np.zeros(row.size(self.model.mechanism), self.model.dtype))
        return made

    def evaluate(self, product: Product, arrays: tuple[Any, ...], threads: int) -> Floats:
        """The result row."""
        return self.model.answer(product.program, arrays, None, threads)


def named(what: str, wrt: Any) -> tuple[str, ...]:
    """One name, or several."""
    several = isinstance(wrt, Iterable) and not isinstance(wrt, str)
    made = tuple(wrt) if several else (wrt,)
    if not all(isinstance(name, str) for name in made):
        raise InputError(f"{what}: {wrt!r} are no names; expected some such as ('gravity', 'rod/mass')")
    return made


def _by_name(asked: Asked, direction: object) -> dict[str, object]:
    if isinstance(direction, Mapping):
        return dict(direction)
    if not isinstance(direction, (tuple, list)) or len(direction) > len(asked.names):
        raise InputError(f"{asked.what}: a direction is a tuple ({', '.join(asked.names)}), or changes by name")
    return {name: x for name, x in zip(asked.names, direction, strict=False) if x is not None}


def _flat_row(model: Model, row: Row, x: Any) -> Any:
    """An argument as the row that programs read: a table of all bodies, or a number, as a row."""
    shape = row.shape(model.mechanism)
    try:
        given = reals(x)
    except (TypeError, ValueError):
        return x  # what is wrong with it is told where it is read
    if not shape and not given.ndim:
        return given.reshape(1)
    if len(shape) > 1 and given.shape[given.ndim - len(shape) :] == shape:
        return given.reshape(*given.shape[: given.ndim - len(shape)], -1)
    return x


def _split(program: Program, row: Floats) -> tuple[object, ...]:
    """The parts of a result row, always a tuple."""
    parts = program.split(row)
    return parts if isinstance(parts, tuple) else (parts,)


def _one_or_all(parts: tuple[object, ...]) -> Any:
    return parts[0] if len(parts) == 1 else parts


def _gradients(product: Product, rows: Sequence[str], parts: Sequence[Any]) -> dict[str, Floats]:
    """Gradients by name, those by parameters behind; all of the model's type."""
    found = dict(zip(rows, parts, strict=False))
    by_parameters = product.numbers.pull(parts[-1]) if product.numbers else {}
    return found | {name: x.astype(product.program.dtype, copy=False) for name, x in by_parameters.items()}
