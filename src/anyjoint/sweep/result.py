"""What came of a sweep: samples, values, failures, statistics, tables, plots, and any run again."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from anyjoint.errors import AnyjointError, InputError
from anyjoint.optional import optional
from anyjoint.options import nearest
from anyjoint.scalar.array import Floats
from anyjoint.simulate import Trajectory

from .job import Job
from .keeper import Keeper
from .measure import labelled
from .run_model import with_parameters
from .space import Drawn, Space, entries_of
from .statistics import Statistics

NOT_RUN = "not run"


class SweepResult:
    """The runs of a sweep, by their number: `samples` are what was drawn, `columns` what was measured.

    >>> result = aj.sweep(model, {"bob/mass": aj.uniform(1, 2)}, n=8, duration=0.1, measure="energy_drift")
    >>> result.samples["bob/mass"].shape, result["energy_drift"].shape
    ((8,), (8,))
    >>> traj = result.worst("energy_drift")  # that run again, to look at: traj.to_html("worst.html")
    >>> traj.status.ok
    True
    """

    def __init__(self, job: Job, space: Space, keeper: Keeper) -> None:
        self.job, self.space, self.keeper = job, space, keeper
        self.model, self.n = job.model, space.n
        self.names = space.names  # of what varies

    # -- asking -------------------------------------------------------------------------------------------------

    @cached_property
    def samples(self) -> Drawn:
        """What was drawn, by name: (runs, ...), or a list of poses."""
        return self.space.draw(0, self.n)

    @cached_property
    def columns(self) -> dict[str, Floats]:
        """What was measured, by name: (runs, ...), NaN where a run has failed."""
        self._needs_rows()
        return self.keeper.table()

    def __getitem__(self, name: str) -> Floats:
        """A column of `columns`."""
        self._known(name)
        return self.columns[name]

    @property
    def values(self) -> Floats:
        """The only column as it is, or all numbers of all columns side by side, (runs, numbers); see `labels`."""
        if len(self.columns) == 1:
            return next(iter(self.columns.values()))
        return np.concatenate([column.reshape(self.n, -1) for column in self.columns.values()], axis=1)

    @cached_property
    def labels(self) -> dict[str, list[str]]:
        """Names of the numbers of each column, in order."""
        known = dict(labelled(self.job.measures, self.model))
        made = {}
        for name, shape in self.keeper.shapes.items():
            count, last = math.prod(shape), known.get(name, known.get(name.rpartition("/")[0]))
            if not shape:
                made[name] = [name]
            elif last is not None and shape == (len(last),):
                made[name] = [f"{name} {label}" for label in last]
            else:
                places = (np.unravel_index(k, shape) for k in range(count))
                made[name] = [f"{name}[{', '.join(map(str, place))}]" for place in places]
        return made

    @property
    def ok(self) -> Floats:
        """Which runs came to their end and were measured."""
        self._needs_rows()
        good = np.repeat(self.keeper.finished, self.keeper.size)[: self.n].copy()
        good[list(self.keeper.reasons)] = False
        return good

    @property
    def status(self) -> list[str]:
        """How each run ended: "ok", why it failed, or that it was not run."""
        self._needs_rows()
        ran = np.repeat(self.keeper.finished, self.keeper.size)[: self.n]
        return [self.keeper.reasons.get(k, "ok") if done else NOT_RUN for k, done in enumerate(ran)]

    @property
    def failures(self) -> dict[int, str]:
        """Why runs have failed, by their number; of statistics alone some ten thousand are kept."""
        return dict(sorted(self.keeper.reasons.items()))

    @property
    def complete(self) -> bool:
        """Whether all runs are done; not so after Ctrl-C."""
        return self.keeper.done == self.n

    @property
    def statistics(self) -> Statistics:
        """Means, deviations and extremes of every column, and how many runs have failed."""
        return self.keeper.statistics

    def sample(self, index: int) -> dict[str, object]:
        """What run `index` was given."""
        k = self._checked(index)
        return {name: values[0] for name, values in self.space.draw(k, k + 1).items()}

    # -- a run again --------------------------------------------------------------------------------------------

    def run(self, index: int) -> Trajectory:
        """A run again, with every step, as a trajectory of a model with that run's parameters; bit for bit the same."""
        k = self._checked(index)
        drawn = self.space.draw(k, k + 1)
        job = replace(self.job, options={**self.job.options, "save_every": 1})
        _, traj, (status,) = next(iter(job.pieces(drawn, np.arange(1))))
        if traj is None:
            raise AnyjointError(f"run {k} of the sweep could not begin: {status.reason}")
        single = traj.member(0)
        last = len(single.t) if status.ok else max(1, int(np.searchsorted(single.t, status.time)))
        cut = {name: getattr(single, name)[:last] for name in ("t", "q", "v")}
        drive = single.drive
        if drive is not None and drive.times is None:
            drive = replace(drive, values=drive.values[:1])
        done = None if single.done is None else single.done[:last]
        rows = single.parameters
        model = with_parameters(self.model, rows.row(0)) if rows else self.model
        return replace(single, **cut, done=done, status=status, model=model, drive=drive, parameters=None)

    def worst(self, name: str | None = None, largest: bool = True) -> Trajectory:
        """The run in which a column is largest in size (or smallest), again; its page: `.to_html("worst.html")`."""
        return self.run(self.extreme(name, largest))

    def extreme(self, name: str | None = None, largest: bool = True) -> int:
        """The number of the run in which a column, or one of its labels, is largest in size, or smallest."""
        name = name if name is not None else next(iter(self.keeper.shapes))
        place = self._place(name)
        if self.keeper.columns is None and not self.keeper.store:
            return self._extreme_of_moments(*place, largest)
        column = np.abs(self.columns[place[0]].reshape(self.n, -1)[:, place[1]])
        if np.isnan(column).all():
            raise AnyjointError(f"worst({name!r}): no run has a number there; result.failures says why")
        which = np.nanargmax if largest else np.nanargmin
        return int(np.unravel_index(which(column), column.shape)[0])

    def _extreme_of_moments(self, column: str, which: Any, largest: bool) -> int:
        of = self.statistics.columns[column]
        low, high, at_low, at_high = (np.ravel(x)[which] for x in (of.min, of.max, of.first_min, of.first_max))
        if not largest:
            raise InputError("worst(largest=False) needs rows; sweep with rows=True or with a store")
        sizes, places = np.concatenate([np.abs(low), np.abs(high)]), np.concatenate([at_low, at_high])
        return int(places[np.argmax(np.where(np.isfinite(sizes), sizes, -1.0))])

    def _place(self, name: str) -> tuple[str, Any]:
        """The column of a name, and which of its numbers are meant."""
        for column, labels in self.labels.items():
            if name == column:
                return column, slice(None)
            if name in labels:
                return column, [labels.index(name)]
        known = [*self.labels, *(label for labels in self.labels.values() for label in labels)]
        raise InputError(f"the sweep has no column {name!r}{nearest(name, known)}")

    # -- tables and plots ---------------------------------------------------------------------------------------

    def table(self) -> tuple[list[str], Floats]:
        """Names and numbers of samples and values side by side, a row for each run; poses are left out."""
        names: list[str] = []
        blocks: list[Floats] = []
        for name, values in self.samples.items():
            if not isinstance(values, list):
                flat = values.reshape(self.n, -1)
                names += [name] if values.ndim == 1 else self._entries(name, flat.shape[1])
                blocks.append(flat)
        for name, column in self.columns.items():
            names += self.labels[name]
            blocks.append(column.reshape(self.n, -1))
        return names, np.concatenate(blocks, axis=1)

    def _entries(self, name: str, count: int) -> list[str]:
        """Names of the numbers of a sample that has several."""
        if self.space.targets[name].state:
            return [f"{name}/{entry}" for entry in entries_of(self.model, name)]
        return [f"{name}[{k}]" for k in range(count)]

    def to_pandas(self) -> Any:
        """A table with a row for each run: samples, values, and the status (needs pandas)."""
        names, table = self.table()
        made = optional("pandas").DataFrame(table, columns=names)
        made["status"] = self.status
        made.index.name = "run"
        return made

    def to_xarray(self) -> Any:
        """A dataset over the dimension "run": samples are coordinates, columns are variables (needs xarray)."""
        xarray = optional("xarray")
        samples = {name: values for name, values in self.samples.items() if not isinstance(values, list)}
        coordinates = {name: (_dimensions(name, values), values) for name, values in samples.items()}
        columns: dict[str, object] = {name: (_dimensions(name, x), x) for name, x in self.columns.items()}
        columns["status"] = ("run", np.array(self.status, dtype=object).astype(str))
        for name, x in self.columns.items():
            if x.ndim == 2:
                coordinates[f"{name} number"] = ((_dimensions(name, x)[1],), self.labels[name])
        return xarray.Dataset(columns, coordinates)

    def plot(self, path: str | Path | None = None, kind: str = "overview", of: str | None = None) -> Any:
        """A figure, also written to `path`: "overview", "scatter" (matrix), "histograms", or "tornado" (what matters).

        `of` is a column or a label of it; by default the first few numbers are shown.
        """
        from anyjoint.view.sweep_plot import plot

        return plot(self, path, kind, of)

    def __repr__(self) -> str:
        done = "" if self.complete else f", {self.keeper.done:,} done"
        failed = f", {self.statistics.failed:,} failed" if self.statistics.failed else ""
        measured = ", ".join(self.keeper.shapes)
        return f"<SweepResult of {self.model.mechanism.name!r}: {self.n:,} runs{done}{failed}; {measured}>"

    # -- checks ---------------------------------------------------------------------------------------------------

    def _needs_rows(self) -> None:
        if self.keeper.columns is None and not self.keeper.store:
            raise InputError("this sweep kept statistics only; sweep with rows=True, or with a store, to have its rows")

    def _known(self, name: str) -> None:
        if name not in self.keeper.shapes:
            raise InputError(f"the sweep has no column {name!r}{nearest(name, self.keeper.shapes)}")

    def _checked(self, index: Any) -> int:
        if isinstance(index, bool) or not isinstance(index, (int, np.integer)) or not -self.n <= index < self.n:
            raise InputError(f"run {index!r}: the sweep has the runs 0 to {self.n - 1}")
        return int(index) % self.n


def _dimensions(name: str, values: Floats) -> tuple[str, ...]:
    return ("run", *(f"{name} {'axis ' * (values.ndim > 2)}{k}" for k in range(values.ndim - 1)))
