"""Parameters in batches: one row of values for each state, so that a thousand masses are one call."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any

import numpy as np

from anyjoint.dynamics.algorithm import Over
from anyjoint.errors import AnyjointError, InputError
from anyjoint.mechanism import Body, Mechanism
from anyjoint.mechanism.checks import find_problems
from anyjoint.mechanism.inertia import spatial_inertias, spatial_matrix
from anyjoint.scalar.array import Floats, Ints
from anyjoint.trace.numbers import NumberTable
from anyjoint.trace.workshop import Workshop

from .change import GRAVITY, INERTIA, SPRING, changed, find, value_of

Indices = list[int] | Ints
REMEMBERED = 4  # programs whose numbers are kept with rows


class ParameterRows:
    """Values of named parameters, (states, ...) each, checked once and good for any number of calls.

    `model.parameter_rows({"rod/mass": masses})` makes one; calls take it, or the mapping itself, as `parameters=`.
    """

    def __init__(self, mechanism: Mechanism, values: Mapping[str, object]) -> None:
        if not isinstance(values, Mapping) or not values:
            raise InputError(f"parameters={values!r}; expected names with one value per state, {{'rod/mass': masses}}")
        self.mechanism = mechanism
        self.places = {name: find(mechanism, name) for name in values}
        self.columns = {name: self._column(name, value) for name, value in values.items()}
        lengths = {name: len(column) for name, column in self.columns.items()}
        if len(set(lengths.values())) > 1:
            raise InputError(f"parameters have rows for different numbers of states: {lengths}; expected one per state")
        self.count = next(iter(lengths.values()))
        self._known: dict[Hashable, Floats] = {}
        self.shelf: dict[Hashable, object] = {}  # what runs have made for these rows
        self.base: tuple[ParameterRows, Indices] | None = None  # rows that these were taken from, and which of them
        if not all(map(self._surely_good, values)):
            for k in range(self.count):
                self._check_row(k)

    @property
    def names(self) -> tuple[str, ...]:
        """The parameters that vary."""
        return tuple(self.columns)

    def __repr__(self) -> str:
        return f"<ParameterRows of {', '.join(self.names)} for {self.count} states>"

    def row(self, k: int) -> dict[str, Any]:
        """The values of one state, as `model.parameters.set` takes them."""
        taken = {name: column[k] for name, column in self.columns.items()}
        return {name: float(x) if isinstance(x, np.floating) else x for name, x in taken.items()}

    @property
    def vary_joints(self) -> bool:
        """Whether numbers of joints vary, and with them where these are defined."""
        return any(found.what == "joint" for found in self.places.values())

    @property
    def moving(self) -> list[str]:
        """The parameters that say where bodies are."""
        return [name for name, found in self.places.items() if found.what in ("placement", "joint")]

    def mechanism_of(self, k: int) -> Mechanism:
        """The mechanism with the values of one state."""
        return self._with_row(k)[0]

    def take(self, indices: Indices) -> ParameterRows:
        """Rows in another order, or some of them again and again; they have been checked."""
        made = object.__new__(ParameterRows)
        made.mechanism, made.places, made._known, made.base = self.mechanism, self.places, {}, (self, indices)
        made.shelf = {}
        made.columns = {
            name: [column[k] for k in indices] if isinstance(column, list) else column[indices]
            for name, column in self.columns.items()
        }
        made.count = len(indices)
        return made

    def tiled(self, times: int) -> ParameterRows:
        """All rows so many times over."""
        return self.take(np.tile(np.arange(self.count), times))

    def remembered(self, key: Hashable, make: Callable[[], Floats]) -> Floats:
        """Numbers that were made of these rows for a key, one of the last few."""
        known = self._known.get(key)
        if known is None:
            known = make()
            self._known = {**dict(list(self._known.items())[1 - REMEMBERED :]), key: known}
        return known

    def _column(self, name: str, given: Any) -> Any:
        """Numbers (states, ...), or a list of poses."""
        what = self.places[name].what
        if what == "placement":
            if not isinstance(given, (list, tuple)):
                raise InputError(f"parameters: {name!r} is a {type(given).__name__}; expected a list of poses")
            return list(given)
        try:
            made = np.array(given, dtype=float)
        except (TypeError, ValueError):
            raise InputError(f"parameters: {name!r} are not real numbers; expected one row of them per state") from None
        shape = np.shape(np.asarray(value_of(self.mechanism, name), dtype=float))
        if what in SPRING and made.ndim == 1 and shape == (1,):
            made = made[:, None]
        if made.ndim != 1 + len(shape) or made.shape[1:] != shape or not len(made):
            expected = ", ".join(map(str, ("states", *shape)))
            raise InputError(f"parameters: {name!r} has shape {made.shape}; expected ({expected}), one row per state")
        return made

    # -- checks -----------------------------------------------------------------------------------------------

    def _surely_good(self, name: str) -> bool:
        """Whether all rows are fine at a glance; if not, each is looked at as if it were set."""
        index, what, _ = self.places[name]
        column = self.columns[name]
        if what == GRAVITY:
            return bool(np.isfinite(column).all())
        inertia = self.mechanism.bodies[index].inertia
        if what == "mass":
            return inertia.mass > 0 and bool((np.isfinite(column) & (column > 0)).all())
        if what == "com":
            return inertia.is_definite and bool(np.isfinite(column).all())
        if what == "armature":
            return inertia.is_definite and bool((np.isfinite(column) & (column >= 0)).all())
        if what in ("stiffness", "damping"):
            turning = any(c.wrap for c in self.mechanism.bodies[index].joint.coordinates)
            return not turning and bool((np.isfinite(column) & (column >= 0)).all())
        return False

    def _check_row(self, k: int) -> None:
        """Refuse row k by the same checks as `model.parameters.set`."""
        made, problems, before = self._with_row(k)
        problems += [str(problem) for problem in find_problems(made, before)] if not problems else []
        if problems:
            known = {str(problem) for problem in self.mechanism.check()}  # a massless link may stay what it is
            problems = [problem for problem in problems if problem not in known]
        if problems:
            raise InputError(f"parameters, row {k}: {'; '.join(problems)}")

    def _with_row(self, k: int) -> tuple[Mechanism, list[str], dict[int, Body]]:
        """The mechanism with row k set, what is wrong with single values, and the bodies that were replaced."""
        made, problems = self.mechanism.__copy__(), list[str]()
        wanted: dict[int, dict[tuple[str, str], Any]] = {}
        for name, value in self.row(k).items():
            found = self.places[name]
            if name == GRAVITY:
                try:
                    made.gravity = value
                except AnyjointError as error:
                    problems.append(str(error))
            else:
                wanted.setdefault(found.body, {})[found.what, found.path] = value
        for index, changes in wanted.items():
            body, wrong = changed(made.bodies[index], changes)
            problems += wrong
            made.replace_body(body)
        return made, problems, {index: self.mechanism.bodies[index] for index in wanted}

    # -- numbers ----------------------------------------------------------------------------------------------

    def table(self, workshop: Workshop, over: Over, gravity: bool, closed: bool = False) -> NumberTable:
        """Raw numbers of all links, open or closed by constraints, row by row."""
        if self.moving or self.mechanism.followers:
            return self._planned(workshop, over, gravity, closed)
        links = self._of_links(workshop, over, gravity)
        return workshop.closed_table(links, over) if closed else links

    def _of_links(self, workshop: Workshop, over: Over, gravity: bool) -> NumberTable:
        """Numbers of the open plan, whose frames are the same for all rows."""
        basis = workshop.basis(over)
        own = np.broadcast_to(
            spatial_inertias([b.inertia for b in self.mechanism.bodies]), (self.count, self.mechanism.nb, 6, 6)
        ).copy()
        for index in {found.body for found in self.places.values() if found.what in INERTIA}:
            own[:, index] = spatial_matrix(*(self._of_body(index, what) for what in INERTIA))
        field = self.columns.get(GRAVITY, np.array(self.mechanism.gravity, dtype=float)) if gravity else np.zeros(3)
        if not basis.plan.links:
            return NumberTable(-np.broadcast_to(field, (self.count, 1, 3)), ())
        springs = {
            i: np.concatenate([self._of_body(link.body, what) for what in SPRING], axis=-1)
            for i, link in enumerate(basis.plan.links)
            if any(found.body == link.body and found.what in SPRING for found in self.places.values())
        }
        return basis.table(own, np.broadcast_to(field, (self.count, 3)), springs)

    def _of_body(self, index: int, what: str) -> Floats:
        """One of a body's parameters for all rows, whether it varies or not."""
        name = f"{self.mechanism.bodies[index].name}/{what}"
        present = np.asarray(value_of(self.mechanism, name), dtype=float)
        return np.asarray(self.columns.get(name, np.broadcast_to(present, (self.count, *present.shape))))

    def _planned(self, workshop: Workshop, over: Over, gravity: bool, closed: bool) -> NumberTable:
        """The same where frames change with the row: a plan for each, under the same forces and stops."""
        pushes, loose = workshop.pushes, workshop.loose
        each = [Workshop(self.mechanism_of(k)).pushed(pushes, loose) for k in range(self.count)]
        made = [one.numbers(over, gravity, closed) for one in each]
        frames = tuple(np.array(rows) for rows in zip(*(x.frames for x in made), strict=True))
        return NumberTable(np.array([x.table for x in made]), tuple(len(row) for row in made[0].links), frames)


Given = ParameterRows | Mapping[str, Any]  # parameters, one row per state
