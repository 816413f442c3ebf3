"""The table of everything that a model answers, straight from the list of quantities."""

from pathlib import Path
from typing import Any

from pages.text import markdown, table


def page(root: Path, folder: Path) -> str:
    """One row per quantity that has outputs: call, shapes, purpose."""
    from anyjoint.quantity import QUANTITIES

    shown = [quantity for name, quantity in sorted(QUANTITIES.items()) if quantity.outputs]
    return table(["call", "answer", "meaning"], [_row(quantity) for quantity in shown])


def _row(quantity: Any) -> list[str]:
    arguments = ", ".join(f"{row.name}=None" if row.name in quantity.optional else row.name for row in quantity.inputs)
    answers = ", ".join(f"{row.name} `{row.dimensions}`" for row in quantity.outputs)
    return [f"`{quantity.name}({arguments})`", answers, markdown(quantity.purpose)]
