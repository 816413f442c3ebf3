"""What a sweep keeps of a run: named measures over whole batches, times of events, and functions of the user's own."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from anyjoint.errors import AnyjointError, InputError
from anyjoint.frozen import frozen
from anyjoint.options import nearest
from anyjoint.scalar import reals
from anyjoint.scalar.array import Floats
from anyjoint.simulate import Event, Trajectory
from anyjoint.simulate.events import locate
from anyjoint.simulate.samples import hermite

from .run_model import RunModel

if TYPE_CHECKING:
    from anyjoint.model import Model

Columns = dict[str, Floats]  # by name, (runs, ...)
Failures = dict[int, str]  # of runs that could not be measured
THINNED = 101  # samples of a whole trajectory, unless the user says otherwise


class Measure(ABC):
    """Numbers to keep of each trajectory of a batch; `last_only` if its end alone matters."""

    name: str
    last_only = False

    @abstractmethod
    def __call__(self, traj: Trajectory) -> tuple[Columns, Failures]:
        """Columns with a row for each trajectory of a batch, and which of them could not be measured."""

    def labels(self, model: Model) -> list[str] | None:
        """Names of the numbers of a row along its last axis, where they have some."""
        return None


def state_labels(model: Model) -> list[str]:
    """Names of coordinates and velocities, side by side."""
    bodies = model.mechanism.bodies
    speeds = [f"{body.name}/{name}'" for body in bodies for name in body.joint.velocity_names]
    return [*model.mechanism.coordinate_names, *speeds]


@frozen
class Final(Measure):
    """The state at the end."""

    name: str = "final"
    last_only = True

    def __call__(self, traj: Trajectory) -> tuple[Columns, Failures]:
        return {self.name: np.concatenate([traj.q[-1], traj.v[-1]], axis=-1)}, {}

    def labels(self, model: Model) -> list[str]:
        return state_labels(model)


@frozen
class Extremes(Measure):
    """The smallest and the largest value of each coordinate and velocity, at the samples."""

    name: str = "extremes"

    def __call__(self, traj: Trajectory) -> tuple[Columns, Failures]:
        states = np.concatenate([traj.q, traj.v], axis=-1)
        return {f"{self.name}/min": states.min(axis=0), f"{self.name}/max": states.max(axis=0)}, {}

    def labels(self, model: Model) -> list[str]:
        return state_labels(model)


@frozen
class EnergyDrift(Measure):
    """The largest imbalance of energy, relative to the largest energy that changed its form."""

    name: str = "energy_drift"

    def __call__(self, traj: Trajectory) -> tuple[Columns, Failures]:
        return {self.name: traj.balance_errors()}, {}


@frozen
class Thinned(Measure):
    """The whole trajectory, at so many of its samples."""

    name: str = "trajectory"
    samples: int = THINNED

    def __call__(self, traj: Trajectory) -> tuple[Columns, Failures]:
        places = np.linspace(0, len(traj.t) - 1, min(self.samples, len(traj.t))).round().astype(int)
        states = np.concatenate([traj.q, traj.v], axis=-1)[places]
        times = np.broadcast_to(traj.t[places], (states.shape[1], len(places)))
        return {f"{self.name}/t": times, self.name: np.moveaxis(states, 1, 0)}, {}

    def labels(self, model: Model) -> list[str]:
        return state_labels(model)


@frozen
class EventTime(Measure):
    """When an event happens for the first time; NaN in a run where it does not."""

    event: Event
    name: str = "event"

    def __call__(self, traj: Trajectory) -> tuple[Columns, Failures]:
        runs, failures = range(traj.q.shape[1]), Failures()
        times = np.full(len(runs), np.nan)
        for k in runs:
            try:
                times[k] = self._first(traj.member(k))
            except Exception as error:
                failures[k] = f"measure {self.name!r} failed: {_said(error)}"
        return {self.name: times}, failures

    def _first(self, run: Trajectory) -> float:
        event = self.event
        before = event.value(float(run.t[0]), run.q[0], run.v[0])
        for k in range(len(run.t) - 1):
            after = event.value(float(run.t[k + 1]), run.q[k + 1], run.v[k + 1])
            if event.crosses(before, after):
                return locate(event, float(run.t[k]), float(run.t[k + 1]), _between(run, k))
            before = after
        return float("nan")


def _between(run: Trajectory, k: int) -> Callable[[float], tuple[Floats, Floats]]:
    """States between two samples, by cubics through states and rates."""
    pair = slice(k, k + 2)
    step = Trajectory(run.t[pair], run.q[pair], run.v[pair], run.status, run.model, drive=run.drive,
                      parameters=run.parameters)  # fmt: skip
    a, rates = step.accelerations(), step.coordinate_rates()

    def state_at(time: float) -> tuple[Floats, Floats]:
        where, at = np.zeros(1, dtype=int), np.array([time])
        return hermite(step.t, step.q, rates, where, at)[0], hermite(step.t, step.v, a, where, at)[0]

    return state_at


@frozen
class Own(Measure):
    """A function of the user's own, called on one trajectory after the other."""

    function: Callable[[Trajectory], Any]
    name: str = "value"

    def __call__(self, traj: Trajectory) -> tuple[Columns, Failures]:
        rows: list[Columns | None] = []
        failures: Failures = {}
        for k in range(traj.q.shape[1]):
            run = traj.member(k)
            if run.parameters:
                own = RunModel(run.own_model(), run.parameters)
                run = replace(run, model=cast("Model", own))  # it answers as a model does
            try:
                returned = self.function(run)
            except Exception as error:
                failures[k] = f"measure {self.name!r} raised {_said(error)}"
                rows.append(None)
                continue
            try:
                rows.append(self._columns(returned))
            except InputError as error:
                failures[k] = str(error)
                rows.append(None)
        return _together(self.name, rows), failures

    def _columns(self, returned: object) -> Columns:
        parts = returned if isinstance(returned, Mapping) else {"": returned}
        made = {}
        for name, value in parts.items():
            try:
                found = made[f"{self.name}/{name}" if name else self.name] = reals(_plain(value))
            except (TypeError, ValueError):
                raise self._refusal(value) from None
            if not found.size:
                raise self._refusal(value)
        if not made:
            raise self._refusal(returned)
        return made

    def _refusal(self, value: object) -> InputError:
        given = f"{value!r}" if len(f"{value!r}") < 80 else f"a {type(value).__name__}"
        return InputError(
            f"measure {self.name!r} returned {given}; expected a number, an array of numbers, or names with those"
        )


def _plain(value: object) -> Any:
    """Truth values count as 0 and 1."""
    given = np.asarray(value)
    return given.astype(float) if given.dtype.kind == "b" else value


def _said(error: Exception) -> str:
    return str(error) if isinstance(error, AnyjointError) else f"{type(error).__name__}: {error}"


def _together(name: str, rows: list[Columns | None]) -> Columns:
    """Rows as columns; those that failed are NaN. Refuses rows of different shapes."""
    shapes = [{key: x.shape for key, x in row.items()} for row in rows if row is not None]
    if not shapes:
        return {}
    other = next((shape for shape in shapes if shape != shapes[0]), None)
    if other is not None:
        raise InputError(varying(name, shapes[0], other))
    nothing = {key: np.full(shape, np.nan) for key, shape in shapes[0].items()}
    return {key: np.array([(row or nothing)[key] for row in rows]) for key in nothing}


def varying(name: str, one: Mapping[str, object], other: Mapping[str, object]) -> str:
    """Why a measure's answers cannot stand in one table."""
    return (
        f"measure {name!r} returned {_shapes(one)} for one run and {_shapes(other)} for another; return the same shape "
        "for all, such as a resampled curve, or pad with NaN"
    )


def _shapes(shapes: Mapping[str, object]) -> str:
    if len(shapes) == 1:
        return f"shape {next(iter(shapes.values()))}"
    return "{" + ", ".join(f"{name}: {shape}" for name, shape in shapes.items()) + "}"


# -- what users give ----------------------------------------------------------------------------------------------

NAMED: dict[str, Callable[[str], Measure]] = {
    "final": Final, "extremes": Extremes, "energy_drift": EnergyDrift, "trajectory": Thinned,
}  # fmt: skip


def make_measures(given: Any) -> tuple[Measure, ...]:
    """Measures from a name, an event, a function, a list of those, or a mapping from names to them."""
    if isinstance(given, Mapping):
        made = tuple(_measure(what, str(name)) for name, what in given.items())
    elif isinstance(given, list):
        made = tuple(_measure(what) for what in given)
    else:
        made = (_measure(given),)
    names = [measure.name for measure in made]
    if not made:
        raise InputError("measure is empty; give a name such as 'final', or a function of a trajectory")
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice:
        raise InputError(f"measure: two are called {twice!r}; give them names, {{'one': f, 'other': g}}")
    below = next((name for name in names if any(name.startswith(f"{other}/") for other in names)), None)
    if below:  # columns of a measure are called name/part
        raise InputError(f"measure: {below!r} is named like a part of another one; give it a name of its own")
    return made


def _measure(given: Any, name: str = "") -> Measure:
    if isinstance(given, str):
        if given not in NAMED:
            raise InputError(f"measure {given!r} is unknown{nearest(given, NAMED)}, or give a function of a trajectory")
        return NAMED[given](name or given)
    if isinstance(given, tuple):
        return _thinned(given, name)
    if isinstance(given, Event):
        return EventTime(given, name or given.label)
    if callable(given):
        own = str(getattr(given, "__name__", "value"))
        return Own(given, name or ("value" if own == "<lambda>" else own))
    raise InputError(
        f"measure={given!r}; expected one of {', '.join(map(repr, NAMED))}, ('trajectory', samples), an aj.Event, "
        "a function of a trajectory, or a list or mapping of those"
    )


def _thinned(given: tuple[Any, ...], name: str) -> Measure:
    if len(given) != 2 or given[0] != "trajectory" or not isinstance(given[1], int) or given[1] < 2:
        raise InputError(f"measure={given!r}; expected ('trajectory', samples) with at least 2 samples")
    return Thinned(name or "trajectory", given[1])


def labelled(measures: tuple[Measure, ...], model: Model) -> Iterator[tuple[str, list[str] | None]]:
    """The names of measures with the labels of what they give."""
    for measure in measures:
        yield measure.name, measure.labels(model)
