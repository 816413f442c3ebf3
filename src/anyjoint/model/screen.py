"""A cheap look at each result that needs M^-1 (quantity/divides.py): may a singular place be near? Then look closely.

Where velocities of a joint almost lose rank, the pivot that divides is a small share s of what it was made from, and
accelerations carry errors of a rounding / s. Two signs of that cost next to nothing: a column of S that lies almost in
the others, and accelerations far above what is natural for the model. A state that shows one of them is diagnosed on
floats, where s is known.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from anyjoint.errors import SingularityError
from anyjoint.frozen import frozen
from anyjoint.mechanism.probing import random_coordinates
from anyjoint.mechanism.singular import changes_twists, loses_inertia, singular_place
from anyjoint.scalar.array import ArrayLike, Floats

from .places import Shares, shares
from .program import Program, split

if TYPE_CHECKING:
    from .model import Model
    from .parameter_rows import ParameterRows
    from .row_program import RowProgram

STATES = 5


@frozen
class Screen:
    """Accelerations that are natural for a model: at rest, for speeds of one unit, for forces of one unit.

    `factor` says how many times larger makes one suspicious; `ranks` looks at the columns of S.
    """

    rest: float
    speed: float
    force: float
    factor: float
    ranks: Shares | None

    @property
    def share(self) -> float:
        """What columns of S must keep beside the others."""
        return self.ranks.least if self.ranks else 0.0

    @cached_property
    def limit(self) -> float:
        """Accelerations that nobody needs to look at."""
        return self.factor * (self.rest + self.speed + self.force)

    def tame(self, a: Floats) -> bool:
        """Whether nobody needs to look at accelerations, however large speeds and forces are."""
        return not a.size or bool(a.max() <= self.limit and a.min() >= -self.limit)

    def passes(self, q: ArrayLike, a: Floats, softened: bool = False) -> bool:
        """Whether nothing is suspicious about a state or a batch; columns may be dependent where M is `softened`."""
        if softened or self.ranks is None or not self.tame(a):
            return self.tame(a)
        return self.ranks.all_clear(q) or not self.ranks.broken(np.atleast_2d(np.asarray(q, dtype=float)))

    def suspects(self, q: Floats, v: Floats, tau: Floats, a: Floats) -> list[int]:
        """States of a batch whose columns are almost dependent, or whose accelerations are too large."""
        speed, force = (np.abs(x).max(axis=-1, initial=0.0) for x in (v, tau))
        with np.errstate(over="ignore"):  # whatever is natural for infinite speeds
            natural = self.rest + self.speed * np.maximum(speed, 1.0) ** 2 + self.force * np.maximum(force, 1.0)
            large = [int(k) for k in np.flatnonzero(np.abs(a).max(axis=-1) > self.factor * natural)]
        return sorted({*large, *(self.ranks.broken(q) if self.ranks else ())})


def make_screen(model: Model, forward: Callable[..., Floats]) -> Screen | None:
    """The screen of a model, from a few random states; None where no place can be singular."""
    mechanism = model.mechanism
    if not (loses_inertia(mechanism) or model.by_joints("twists", lambda: changes_twists(mechanism))):
        return None
    rng = np.random.default_rng(8)
    rows = []
    for _ in range(STATES if model.is_regular else 0):  # others have hybrid dynamics alone
        q = np.concatenate([random_coordinates(b.joint, rng) for b in mechanism.bodies])
        zero, one = np.zeros(model.nv), rng.choice([-1.0, 1.0], model.nv)
        try:
            rest, moved, forced = (forward(q, *x).astype(float) for x in ((zero, zero), (one, zero), (zero, one)))
        except SingularityError:
            continue
        rows.append([float(np.abs(x).max()) for x in (rest, moved - rest, forced - rest)])
    at_rest, speed, force = np.median(rows or [[0.0, 1.0, 1.0]], axis=0).tolist()
    rounding = float(np.finfo(model.dtype).eps)
    least, dtype = rounding ** (1 / 2), model.dtype.name
    ranks = model.by_joints("ranks", lambda: shares(mechanism, lambda joint, q: joint.ranks(q), dtype, least))
    return Screen(at_rest, speed, force, rounding ** (-1 / 4), ranks)


def screened(
    model: Model, program: Program | RowProgram, arrays: Sequence[ArrayLike], result: Floats,
    rows: ParameterRows | None = None,
) -> None:  # fmt: skip
    """Raise if a quantity that needs M^-1 was asked for at a singular place; `rows` has parameters of each state."""
    quantity = program.quantity
    if quantity.divides is None or model.screen is None or not result.size:
        return
    given = {name: array for (name, _), array in zip(program.inputs, arrays, strict=True)}
    found = split(program.shapes, result)
    outputs = {row.name: part for row, part in zip(quantity.outputs, found, strict=True)}
    v, tau, a = quantity.divides.caused(given, outputs)
    if not model.screen.passes(given["q"], a, quantity.divides.softened):
        look_closer(model, quantity.name, (given["q"], v, tau), a, quantity.divides.held, rows)


def look_closer(
    model: Model, what: str, state: Sequence[ArrayLike], a: Floats, held: Collection[int] = (),
    parameters: ParameterRows | None = None,
) -> None:  # fmt: skip
    """Raise if one of the states (q, v, tau) stands at a singular place; return if the numbers are right.

    Bodies whose joints are `held` have given accelerations. `parameters` has those of each state.
    """
    rows, q, v, tau = (np.atleast_2d(np.asarray(x, dtype=float)) for x in (a, *state))
    q, v, tau = (np.broadcast_to(x, (len(rows), x.shape[-1])) for x in (q, v, tau))
    for k in model.screen.suspects(q, v, tau, rows) if model.screen else ():
        mechanism = parameters.mechanism_of(k) if parameters else model.mechanism
        reason = singular_place(mechanism, q[k], float(np.finfo(model.dtype).eps), held)
        if reason:
            which = f" state {k}," if a.ndim == 2 else ""
            raise SingularityError(f"{what}:{which} {reason}")
