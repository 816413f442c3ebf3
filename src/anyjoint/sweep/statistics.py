"""Means, deviations and extremes of many runs, chunk by chunk, without keeping their rows."""

from __future__ import annotations

import numpy as np

from anyjoint.frozen import frozen
from anyjoint.scalar.array import Floats


@frozen
class Moments:
    """Of one column: how many numbers there are (NaN left out), their mean, spread, extremes and where those are."""

    count: Floats
    mean: Floats
    squares: Floats  # sum of squared distances from the mean
    min: Floats
    max: Floats
    first_min: Floats  # the number of the run
    first_max: Floats

    @property
    def std(self) -> Floats:
        """The standard deviation, by n - 1."""
        return np.asarray(np.sqrt(self.squares / np.maximum(self.count - 1, 1)))

    def merged(self, other: Moments) -> Moments:
        """Of both; the runs of the other come later."""
        count = self.count + other.count
        share = other.count / np.maximum(count, 1)
        apart = np.where(self.count == 0, other.mean, np.where(other.count == 0, 0.0, other.mean - self.mean))
        mean = np.where(self.count == 0, other.mean, self.mean + share * apart)
        with np.errstate(over="ignore"):  # squares of huge numbers are infinite, and so is their deviation
            squares = self.squares + other.squares + np.where(self.count == 0, 0.0, apart**2 * self.count * share)
        lower, higher = other.min < self.min, other.max > self.max
        return Moments(
            count, mean, squares, np.where(lower, other.min, self.min), np.where(higher, other.max, self.max),
            np.where(lower, other.first_min, self.first_min), np.where(higher, other.first_max, self.first_max),
        )  # fmt: skip


def moments(column: Floats, first: int = 0) -> Moments:
    """Of the rows of a column; `first` is the number of the first run."""
    good = ~np.isnan(column)
    count = good.sum(axis=0)
    mean = np.where(good, column, 0.0).sum(axis=0) / np.maximum(count, 1)
    with np.errstate(over="ignore"):
        squares = np.where(good, (column - mean) ** 2, 0.0).sum(axis=0)
    low, high = np.where(good, column, np.inf), np.where(good, column, -np.inf)
    return Moments(count, mean, squares, low.min(axis=0), high.max(axis=0),
                   first + low.argmin(axis=0), first + high.argmax(axis=0))  # fmt: skip


@frozen
class Statistics:
    """What is known of all runs: how many there were, how many failed, and the moments of every column."""

    runs: int
    failed: int
    columns: dict[str, Moments]

    def merged(self, other: Statistics) -> Statistics:
        """Of both."""
        if not self.runs:
            return other
        columns = {name: self.columns[name].merged(other.columns[name]) for name in self.columns}
        return Statistics(self.runs + other.runs, self.failed + other.failed, columns)

    def __str__(self) -> str:
        lines = [f"{self.runs:,} runs, {self.failed:,} failed"]
        for name, of in self.columns.items():
            if np.ndim(of.mean) == 0:
                lines.append(f"{name}: {of.mean:.6g} +- {of.std:.3g}, from {of.min:.6g} to {of.max:.6g}")
            else:
                lines.append(f"{name}: {of.mean.size} numbers a run, shape {of.mean.shape}")
        return "\n".join(lines)


def statistics(columns: dict[str, Floats], failed: int, runs: int, first: int = 0) -> Statistics:
    """Of the columns of some runs."""
    return Statistics(runs, failed, {name: moments(column, first) for name, column in columns.items()})


NOTHING = Statistics(0, 0, {})
