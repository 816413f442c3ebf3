"""Where rows go as they come: into a store, into memory, or into statistics alone."""

from __future__ import annotations

import numpy as np

from anyjoint.errors import AnyjointError
from anyjoint.scalar.array import Floats

from .job import Rows, Shapes
from .space import Drawn, Space
from .statistics import NOTHING, Statistics, statistics
from .store import Store

SAMPLE = "\0sample/"  # before the names of samples in a store: no column of a user begins so
REASONS = 10_000  # that are kept without a store and without rows


class Keeper:
    """Takes chunks in any order; what comes of them does not depend on it."""

    def __init__(self, space: Space, shapes: Shapes, size: int, store: Store | None, rows: bool) -> None:
        self.space, self.shapes, self.size, self.store = space, shapes, size, store
        self.done = 0
        self.finished = np.zeros(-(-space.n // size), dtype=bool)
        self.reasons: dict[int, str] = {}
        self.columns = (
            {name: np.full((space.n, *shape), np.nan) for name, shape in shapes.items()}
            if rows and store is None
            else None
        )
        self._late: dict[int, Statistics] = {}  # of chunks that wait for those before them
        self._next, self._statistics = 0, NOTHING

    def recalled(self, number: int) -> bool:
        """Whether the store has a chunk already."""
        rows = self.store.read(number) if self.store else None
        if rows is not None:
            self._count(number, _without_samples(rows))
        return rows is not None

    def take(self, number: int, rows: Rows) -> None:
        """A chunk that was run."""
        if self.store:
            first = number * self.size
            samples = as_columns(self.space.draw(first, first + rows.count))
            self._write(self.store, number, Rows({**samples, **rows.columns}, rows.reasons, rows.count))
        self._count(number, rows)

    def _write(self, store: Store, number: int, rows: Rows) -> None:
        try:
            store.write(number, rows)
        except OSError as error:
            raise AnyjointError(
                f"store {store.path} cannot be written: {error.strerror or error}; what is there stays good, and a "
                "rerun goes on from it"
            ) from error

    def _count(self, number: int, rows: Rows) -> None:
        first = number * self.size
        self.done += rows.count
        self.finished[number] = True
        if self.columns is not None:
            for name, column in rows.columns.items():
                self.columns[name][first : first + rows.count] = column
        if self.columns is not None or self.store or len(self.reasons) < REASONS:
            self.reasons |= {first + k: reason for k, reason in rows.reasons.items()}
        self._late[number] = statistics(rows.columns, len(rows.reasons), rows.count, first)
        while self._next in self._late:  # in the order of the runs, so that sums are rounded alike
            self._statistics = self._statistics.merged(self._late.pop(self._next))
            self._next += 1

    @property
    def statistics(self) -> Statistics:
        """Of all that is done; after an interruption there may be gaps."""
        found = self._statistics
        for number in sorted(self._late):
            found = found.merged(self._late[number])
        return found

    def table(self) -> dict[str, Floats]:
        """All rows of all columns, from memory or from the store."""
        if self.columns is not None:
            return self.columns
        made = {name: np.full((self.space.n, *shape), np.nan) for name, shape in self.shapes.items()}
        for number in np.flatnonzero(self.finished):
            rows = self.store.read(int(number)) if self.store else None
            if rows is None:
                where = self.store.path if self.store else "memory"
                raise AnyjointError(f"store {where}: chunk {number} is gone or damaged; the same sweep makes it again")
            for name, column in made.items():
                column[number * self.size : number * self.size + rows.count] = rows.columns[name]
        return made


def as_columns(drawn: Drawn) -> dict[str, Floats]:
    """What was drawn as columns of numbers; poses as their matrices."""
    return {
        f"{SAMPLE}{name}": np.array([pose.matrix for pose in values]) if isinstance(values, list) else values
        for name, values in drawn.items()
    }


def _without_samples(rows: Rows) -> Rows:
    columns = {name: column for name, column in rows.columns.items() if not name.startswith(SAMPLE)}
    return Rows(columns, rows.reasons, rows.count)
