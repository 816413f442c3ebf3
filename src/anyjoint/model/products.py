"""Programs of derivatives of what a model answers, times vectors: made when they are asked for, and kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from anyjoint.errors import InputError
from anyjoint.frozen import frozen
from anyjoint.mechanism import Mechanism
from anyjoint.options import meant
from anyjoint.quantity import QUANTITIES, Quantity
from anyjoint.quantity.product import By, hvp, jvp, vjp
from anyjoint.trace.plans import Varying
from anyjoint.trace.workshop import LARGE, Workshop, estimate

from .change import find
from .change import names as parameter_names
from .named_product import in_parameters
from .program import Program
from .raw_gradient import RawGradient
from .varied import varied

if TYPE_CHECKING:
    from .model import Model

Kind = Callable[[Quantity, Mechanism, By], Quantity]
KINDS: dict[str, Kind] = {"jvp": jvp, "vjp": vjp, "hvp": hvp}
GROWTH = {"jvp": 3, "vjp": 3, "hvp": 9}  # times that a program grows when it is differentiated
SHORT = 6_000  # operations of products up to which they are straight-line code if the quantity is


@frozen
class Product:
    """Machine code of a product, and how its numbers come from parameters, if it is by any."""

    program: Program
    workshop: Workshop | None = None
    numbers: RawGradient | None = None


class Products:
    """The products of a model that were asked for, by quantity and what they are differentiated by."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._made: dict[tuple[str, str, tuple[str, ...], tuple[str, ...], bool], Product] = {}

    @property
    def programs(self) -> tuple[Program, ...]:
        """The machine code of all that was asked for."""
        return tuple(product.program for product in self._made.values())

    def parameters_changed(self) -> None:
        """Numbers of parameters go into the programs; those that have built in one of them are dropped."""
        still_good = {}
        for key, product in self._made.items():
            if product.workshop is None:
                continue  # the model updates its own programs
            product.workshop.forget()
            trace = product.program.trace
            numbers = product.workshop.numbers(trace.over, trace.gravity, trace.closed)
            if product.program.update(numbers) and trace.still_fits(self._model.mechanism):
                plan = trace.plan
                slopes = RawGradient(self._model.mechanism, key[3], plan, numbers) if key[3] else None
                still_good[key] = Product(product.program, product.workshop, slopes)
        self._made = still_good

    def get(
        self, kind: Kind, quantity: Quantity, rows: tuple[str, ...], parameters: tuple[str, ...], raw: bool
    ) -> tuple[Product, bool]:
        """The machine code of a product, and whether it was made just now."""
        raw = raw and not self._model.rates_are_velocities  # otherwise it is the same code
        key = kind.__name__, quantity.name, rows, parameters, raw
        is_new = key not in self._made
        if is_new:
            self._made[key] = self._make(kind, quantity, rows, parameters, raw)
        return self._made[key], is_new

    def named(self, text: str) -> Program:
        """The product that an export asks for: "vjp forward_dynamics", by all its arguments, or "... by q, rod/mass".

        Those by parameters have a row for each of them.
        """
        kind, _, rest = str(text).partition(" ")
        if kind not in KINDS:
            raise InputError(f"product {text!r}; expected jvp, vjp or hvp and a quantity: 'vjp forward_dynamics'")
        name, _, wanted = rest.partition(" by ")
        quantity = known_quantity(self._model, kind, name)
        own = tuple(row.name for row in quantity.given(self._model.mechanism))
        by = [part.strip() for part in wanted.split(",")] if wanted else own
        check_names(self._model.mechanism, f"product {text!r}", quantity.name, own, by)
        parameters = tuple(dict.fromkeys(part for part in by if part not in own))
        product = self.get(KINDS[kind], quantity, tuple(part for part in own if part in by), parameters, False)[0]
        if not product.numbers:
            return product.program
        program, mechanism = product.program, self._model.mechanism
        record, trace = in_parameters(program.quantity, program.trace, mechanism, product.numbers)
        return Program(record, trace, mechanism, self._model.dtype.name, self._model.width)

    def _make(
        self, kind: Kind, quantity: Quantity, rows: tuple[str, ...], parameters: tuple[str, ...], raw: bool
    ) -> Product:
        model = self._model
        short = not parameters and differentiates_by_kernels(model) and self._is_short(kind, quantity)
        workshop = model.workshop if short else derivative_workshop(model, parameters)
        slopes, by = None, By(rows, raw=raw)
        if parameters:
            traced = quantity.trace(workshop, model.algorithm)
            check_built_in(quantity, traced.joints, model.mechanism, parameters)
            slopes = RawGradient(model.mechanism, parameters, traced.plan, traced.numbers)
            by = By(rows, slopes.count, slopes.moving, raw)
        record = kind(quantity, model.mechanism, by)
        if workshop is model.workshop:
            return Product(model.program(record))
        trace = record.trace(workshop, model.algorithm)
        program = Program(record, trace, model.mechanism, model.dtype.name, model.width)
        return Product(program, workshop, slopes)

    def _is_short(self, kind: Kind, quantity: Quantity) -> bool:
        """Whether a quantity is little enough of the dynamics to be differentiated as straight-line code."""
        model = self._model
        if model.workshop.form != "auto" or estimate(model.workshop.plan()) > LARGE:
            return False
        own = model.program(quantity)
        is_straight = len(own.trace.schedule.runs) == 1
        return is_straight and GROWTH[kind.__name__] * own.op_count().total <= SHORT


def check_names(mechanism: Mechanism, what: str, quantity: str, own: Sequence[str], given: Sequence[str]) -> None:
    """Refuse names that are neither arguments of a quantity nor parameters."""
    parameters = [name for name in given if name not in own]
    known = set(parameter_names(mechanism)) if parameters else set()
    for name in parameters:
        if name not in known:
            hint = meant(name, [*own, *known], 0.3)
            rows = ", ".join(own)
            raise InputError(f"{what}: {name!r} is neither an argument of {quantity} ({rows}) nor a parameter{hint}")


def check_built_in(quantity: Quantity, joints: Sequence[object], mechanism: Mechanism, names: Sequence[str]) -> None:
    """Refuse numbers of joints that the program of a quantity has built in: their part would be missing."""
    fixed = {id(joint) for joint in joints}
    for name in names:
        found = find(mechanism, name)
        if found.what == "joint" and id(mechanism.bodies[found.body].joint) in fixed:
            raise InputError(
                f"{quantity.name} has no derivative by {name!r}: its program has numbers of this joint built in;"
                " differentiate forward_dynamics by it, or take differences"
            )


def derivative_workshop(model: Model, parameters: Sequence[str], freed: bool = False) -> Workshop:
    """Where derivatives are traced: bodies are links of their own if it is by parameters; large ones by kernels.

    Straight-line code grows threefold, and what is long already would take long to compile. With `freed`, derivatives
    are by the numbers of forces, too.
    """
    mechanism, form = model.mechanism, "kernels" if differentiates_by_kernels(model) else model.workshop.form
    if not parameters:
        alike = form == model.workshop.form and not freed
        return model.workshop if alike else Workshop(mechanism, form, Varying(freed=freed))
    every = sorted({*parameters, *model.vary})
    found = [find(mechanism, name) for name in parameters]
    nudged = [parameter.body for parameter in found if parameter.what == "placement"]
    return Workshop(mechanism, form, Varying(lambda: varied(mechanism, every), nudged, freed))


def differentiates_by_kernels(model: Model) -> bool:
    """Whether derivatives are too long for straight-line code."""
    form = model.workshop.form
    return form == "kernels" or (form == "auto" and GROWTH["vjp"] * estimate(model.workshop.plan()) > LARGE)


def known_quantity(model: Model, what: str, name: Any) -> Quantity:
    """A quantity or the step of a stepper, by name."""
    from anyjoint.quantity.step import LOOKING_BACK, STEPS

    steps = {f"step {method}": quantity for method, quantity in (STEPS | LOOKING_BACK).items()}
    if isinstance(name, str) and name in steps:
        return steps[name]
    if not isinstance(name, str) or name not in QUANTITIES:
        hint = meant(name, [*QUANTITIES, *steps], 0.3)
        raise InputError(f"{what}: quantity {name!r} is unknown{hint}; choose one of {', '.join(QUANTITIES)}")
    quantity: Quantity = model.known(name)
    if not quantity.outputs:
        raise InputError(f"{what}: {name} answers with blocks for numeric formulations, which are not differentiated")
    return quantity
