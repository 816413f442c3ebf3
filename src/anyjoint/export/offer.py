"""What exported code offers: the list of quantities, and what a user asks for beside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from anyjoint.codegen.word import word
from anyjoint.errors import InputError
from anyjoint.forces.force import Force
from anyjoint.forces.program import trace_forces
from anyjoint.frozen import frozen
from anyjoint.options import meant
from anyjoint.quantity import Quantity
from anyjoint.quantity.push_forces import push_forces
from anyjoint.quantity.step import LOOKING_BACK, STEPS
from anyjoint.stepper import STEPPERS

if TYPE_CHECKING:
    from anyjoint.model import Model
    from anyjoint.model.part import WhichBody
    from anyjoint.model.program import Program

PLAIN = tuple(name for name in STEPS if not (STEPPERS[name].implicit or STEPPERS[name].adaptive))
TOUCHING = tuple(name for name in STEPS if STEPPERS[name].resists)


@frozen
class Beside:
    """What goes with the quantities: derivatives, steps by name, bodies that hybrid dynamics prescribes, and forces."""

    products: Sequence[str] = ()
    steps: Sequence[str] = PLAIN
    prescribed: Sequence[WhichBody] = ()
    forces: Sequence[Force] = ()

    def quantities(self, model: Model) -> dict[str, Quantity]:
        """Steps, hybrid dynamics and forces, by their names in the code."""
        if unknown := [name for name in self.steps if name not in STEPS | LOOKING_BACK]:
            choices = [*STEPS, *LOOKING_BACK]
            hint = f"{meant(unknown[0], choices)}; choose among {', '.join(choices)}"
            raise InputError(f"export: no step {unknown[0]!r}{hint}")
        steps = [(STEPS | LOOKING_BACK)[name] for name in self._own_steps(model)]
        found = {word(step.name, "step"): step for step in steps}
        if self.prescribed:
            found["hybrid_dynamics"] = model.hybrid_quantity(self.prescribed)
        if self.forces:
            found["applied_forces"] = push_forces(trace_forces(model.mechanism, self.forces).pushes)
        return found

    def _own_steps(self, model: Model) -> Sequence[str]:
        """Those that were asked for; else plain ones, or with contacts the one that feels them."""
        if self.steps is not PLAIN:
            return self.steps
        return () if not model.is_regular else TOUCHING if model.mechanism.contacts else PLAIN


NOTHING = Beside()
LONGEST = 80  # letters of a name, which is that of a file, too


def exported(model: Model, beside: Beside = NOTHING) -> dict[str, Program]:
    """All programs of an export by their names in the code; quantities that are only part of another one are not."""
    skipped = {"forward_dynamics"} if model.numeric else set()
    concerned = [quantity for quantity in model.quantities.values() if quantity.concerns(model.mechanism)]
    concerned = [quantity for quantity in concerned if model.is_regular or not quantity.divides]
    wanted = {quantity.name: quantity for quantity in concerned if quantity.outputs and quantity.name not in skipped}
    wanted |= beside.quantities(model)
    made = {name: model.program(quantity) for name, quantity in wanted.items()}
    products = (beside.products,) if isinstance(beside.products, str) else beside.products
    for text in dict.fromkeys(map(str, products)):
        name = short = word(text, "product")[:LONGEST]
        while name in made:
            name = f"{short}_{len(made)}"
        made[name] = model.products.named(text)
    return made


def is_product(program: Program) -> bool:
    """Whether a program is a derivative: its numbers are others than those of what it differentiates."""
    return program.quantity.name.split()[0] in ("jvp", "vjp", "hvp")
