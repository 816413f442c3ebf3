"""What is no mistake but worth knowing before a mechanism is compiled and run."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from anyjoint.joints import Fixed

from .checks import Problem

if TYPE_CHECKING:
    from .mechanism import Mechanism

HEAVY = 1e6  # times its own mass that a body may carry; forward dynamics then keeps nine of its digits
STABLE = "modified-articulated-body"  # the formulation that keeps them all


def find_hints(mech: Mechanism) -> list[Problem]:
    """All hints about a mechanism, worst first; an empty list when nothing stands out."""
    found = sorted(heavy_loads(mech), reverse=True)
    return [Problem("mass-ratio", f"body {name!r}", load_message(ratio)) for ratio, name in found]


def load_message(ratio: float) -> str:
    """What a body that carries much more than its own mass means, and what to do."""
    return (
        f"it carries {ratio:.0e} times its own mass, by which forward dynamics loses {math.log10(ratio):.0f} of 16 "
        f'digits; compile(algorithm="{STABLE}") keeps them'
    )


def heavy_loads(mech: Mechanism) -> Iterator[tuple[float, str]]:
    """Bodies that carry more than a body's formulation should [PAK section 7]: by how much, and their names.

    What is welded together is one body; massless ones have nothing to lose.
    """
    own = [float(body.inertia.mass) for body in mech.bodies]
    carried = [0.0] * len(own)
    for i in range(len(own) - 1, -1, -1):
        body = mech.bodies[i]
        if body.parent < 0:
            continue
        if isinstance(body.joint, Fixed):
            own[body.parent] += own[i]
            carried[body.parent] += carried[i]
            own[i] = 0.0
        else:
            carried[body.parent] += own[i] + carried[i]
    for i, body in enumerate(mech.bodies):
        if own[i] > 0 and carried[i] > HEAVY * own[i]:
            yield carried[i] / own[i], body.name
