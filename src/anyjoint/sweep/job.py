"""A chunk of runs: what is the same for all of them, and how they are simulated and measured side by side."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from anyjoint.errors import AnyjointError, InputError
from anyjoint.frozen import frozen
from anyjoint.scalar.array import Floats
from anyjoint.simulate import Status, Trajectory
from anyjoint.simulate.drive import read_only
from anyjoint.simulate.ensemble import simulate_each
from anyjoint.travel import Parcel

from .measure import Columns, Measure, varying
from .space import Drawn, Target
from .start import on_constraints

if TYPE_CHECKING:
    from anyjoint.model import Model

Shapes = dict[str, tuple[int, ...]]
LONGEST = 400  # bytes of a reason
PAIR = 2  # states that machine code for batches wants at least; a run alone would be rounded differently


@frozen
class Rows:
    """What came of some runs: columns with a row for each, NaN where a reason says why there is nothing."""

    columns: Columns
    reasons: dict[int, str]
    count: int


@frozen
class Job:
    """Simulates and measures runs that differ in what is drawn for them."""

    model: Model
    targets: Mapping[str, Target]
    start: tuple[Floats, Floats, Any]  # q0, v0 and tau of all runs, but for what is drawn
    options: Mapping[str, Any]  # of simulate_each
    measures: tuple[Measure, ...]
    shapes: Shapes = field(default_factory=dict)  # of all columns, once they are known

    def run(self, drawn: Drawn) -> Rows:
        """Simulate and measure the runs of a chunk."""
        count = _length(drawn)
        reasons: dict[int, str] = {}
        parts: list[tuple[Floats, Columns]] = []
        for places, traj, statuses in self.pieces(drawn, np.arange(count)):
            reasons |= {int(place): s.reason for place, s in zip(places, statuses, strict=True) if not s.ok}
            good = np.flatnonzero([status.ok for status in statuses])
            if traj is not None and len(good):
                columns, failures = self._measured(chosen(traj, good))
                reasons |= {int(places[good[k]]): reason for k, reason in failures.items()}
                parts.append((places[good], columns))
        return Rows(self._filled(parts, count), {k: _brief(reason) for k, reason in reasons.items()}, count)

    def pieces(self, drawn: Drawn, places: Floats) -> Iterator[tuple[Floats, Trajectory | None, Sequence[Status]]]:
        """Trajectories of the runs at some places; where some cannot begin, those that can are found by halving."""
        taken = {name: _take(values, places) for name, values in drawn.items()}
        try:
            traj, statuses = self._simulated(taken)
        except AnyjointError as error:
            if len(places) == 1:
                yield places, None, [Status(False, str(error).replace("row 0: ", ""), 0.0)]
                return
            middle = len(places) // 2
            yield from self.pieces(drawn, places[:middle])
            yield from self.pieces(drawn, places[middle:])
        else:
            yield places, traj, statuses

    def _simulated(self, drawn: Drawn) -> tuple[Trajectory, list[Status]]:
        count = _length(drawn)
        if count < PAIR:
            drawn = {name: _take(values, [0] * PAIR) for name, values in drawn.items()}
        q, v, tau = self._states(drawn)
        values = {name: column for name, column in drawn.items() if not self.targets[name].state}
        rows = self.model.parameter_rows(values) if values else None
        if self.model.mechanism.constraints:
            q, v = on_constraints(self.model, q, v, rows)
        traj, statuses = simulate_each(self.model, q, v, tau=tau, parameters=rows, **self.options)
        return traj, statuses[:count]

    def _states(self, drawn: Drawn) -> tuple[Floats, Floats, Any]:
        """q0, v0 and tau of each run."""
        count, made = _length(drawn), dict(zip(("q0", "v0", "tau"), self.start, strict=True))
        for state in ("q0", "v0", "tau"):
            mine = {name: target for name, target in self.targets.items() if target.state == state}
            if not mine and state == "tau":
                continue
            base = np.zeros(self.model.nv) if made[state] is None else made[state]
            rows = np.array(np.broadcast_to(base, (count, np.shape(base)[-1])))
            for name, target in mine.items():
                rows[:, slice(None) if target.place is None else target.place] = drawn[name]
            made[state] = rows
        return made["q0"], made["v0"], made["tau"]

    # -- measuring ----------------------------------------------------------------------------------------------

    def _measured(self, traj: Trajectory) -> tuple[Columns, dict[int, str]]:
        columns: Columns = {}
        failures: dict[int, str] = {}
        traj = replace(traj, t=read_only(traj.t), q=read_only(traj.q), v=read_only(traj.v))  # no measure spoils another
        for measure in self.measures:
            found, failed = measure(traj)
            self._check(measure.name, found)
            columns |= {name: np.asarray(column, dtype=float) for name, column in found.items()}
            failures |= failed
        return columns, failures

    def _check(self, name: str, found: Columns) -> None:
        """Refuse columns of other shapes than those that the first run had."""
        shapes = {key: column.shape[1:] for key, column in found.items()}
        mine = {key: shape for key, shape in self.shapes.items() if key == name or key.startswith(f"{name}/")}
        if mine and shapes and shapes != mine:
            raise InputError(varying(name, mine, shapes))

    def _filled(self, parts: Sequence[tuple[Floats, Columns]], count: int) -> Columns:
        """Columns with a row for each run."""
        shapes = self.shapes or {key: x.shape[1:] for _, columns in parts for key, x in columns.items()}
        made = {key: np.full((count, *shape), np.nan) for key, shape in shapes.items()}
        for places, columns in parts:
            for key, column in columns.items():
                made[key][places] = column
        return made

    # -- beginning ------------------------------------------------------------------------------------------------

    def prepared(self, drawn: Drawn) -> tuple[Job, Rows]:
        """The job with the shapes of its columns, from runs that are tried, and these; machine code is ready then."""
        rows = self.run(drawn)
        return replace(self, shapes={key: column.shape[1:] for key, column in rows.columns.items()}), rows

    @property
    def measurable(self) -> bool:
        """Whether every measure has said what it gives."""
        return all(any(_is_of(measure.name, key) for key in self.shapes) for measure in self.measures)

    def warmed(self, drawn: Drawn) -> Job:
        """The job itself, after two steps that make machine code ready."""
        short = {**self.options, "duration": min(self.options["duration"], PAIR * self.options["dt"])}
        replace(self, options=short, shapes={}).run(drawn)
        return self

    def __reduce__(self) -> tuple[object, ...]:
        """Pickled with functions of the user's own by value."""
        rest = {name: value for name, value in vars(self).items() if name != "model"}
        return _again, (self.model, Parcel(rest))


def _again(model: Model, rest: Parcel) -> Job:
    return Job(model=model, **rest.content)


def _brief(reason: str) -> str:
    """A reason that is not too long for a table."""
    text = reason.encode()
    return reason if len(text) <= LONGEST else text[: LONGEST - 3].decode(errors="ignore") + "..."


def _is_of(measure: str, column: str) -> bool:
    return column == measure or column.startswith(f"{measure}/")


def _length(drawn: Drawn) -> int:
    return len(next(iter(drawn.values())))


def _take(values: Any, places: Any) -> Any:
    return [values[k] for k in places] if isinstance(values, list) else values[places]


def chosen(traj: Trajectory, places: Floats) -> Trajectory:
    """Some trajectories of a batch."""
    if len(places) == traj.q.shape[1]:
        return traj
    drive = traj.drive
    if drive is not None and drive.times is None and len(drive.values) > 1:
        drive = replace(drive, values=drive.values[places])
    rows = traj.parameters.take(places) if traj.parameters else None
    done = None if traj.done is None else traj.done[:, places]
    return replace(traj, q=traj.q[:, places], v=traj.v[:, places], drive=drive, done=done, parameters=rows)


def thinning(measures: Sequence[Measure], duration: float, dt: float) -> int:
    """How many steps to leave between samples: none where the way matters, all where the end alone does."""
    return max(1, math.ceil(duration / dt)) if all(measure.last_only for measure in measures) else 1
