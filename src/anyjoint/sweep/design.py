"""Designs of experiments: points of the unit cube, by the number of the run, so that nothing depends on who asks."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from anyjoint.errors import InputError
from anyjoint.frozen import frozen
from anyjoint.optional import optional
from anyjoint.options import nearest
from anyjoint.scalar.array import Floats

Points = Callable[[int, int], Floats]  # of the runs from first to last, (last - first, dimension)
WORDS = 4  # numbers that Philox makes for one count
EDGE = 2.0**-54  # keeps points off the faces of the cube, where quantiles are infinite


def random(dimension: int, n: int, seed: int) -> Points:
    """Independent points: run i takes the counts of a Philox generator from i times its share on."""
    share = -(-dimension // WORDS)

    def points(first: int, last: int) -> Floats:
        source = np.random.Philox(seed=seed)
        source.advance(int(first) * share)
        rows = np.random.Generator(source).random((last - first, share * WORDS))
        return rows[:, :dimension]

    return points


def latin_hypercube(dimension: int, n: int, seed: int) -> Points:
    """One point in each of n slices of every axis."""
    rows = _qmc().LatinHypercube(max(dimension, 1), rng=np.random.default_rng(seed)).random(n)[:, :dimension]
    return lambda first, last: np.asarray(rows[first:last])


def sobol(dimension: int, n: int, seed: int) -> Points:
    """A scrambled Sobol sequence; balanced where n is a power of two."""
    qmc = _qmc()

    def points(first: int, last: int) -> Floats:
        engine = qmc.Sobol(max(dimension, 1), rng=np.random.default_rng(seed))
        with warnings.catch_warnings():  # a chunk need not have a power of two
            warnings.simplefilter("ignore", UserWarning)
            ready = engine.fast_forward(int(first)) if first else engine
            return np.asarray(ready.random(int(last - first)))[:, :dimension]

    return points


DESIGNS: dict[str, Callable[[int, int, int], Points]] = {
    "random": random, "latin-hypercube": latin_hypercube, "sobol": sobol,
}  # fmt: skip


@frozen
class Design:
    """The points of a design, off the faces of the cube."""

    name: str
    dimension: int
    n: int
    seed: int

    def __post_init__(self) -> None:
        if self.name not in DESIGNS:
            raise InputError(f"design={self.name!r} is unknown{nearest(self.name, DESIGNS)}")
        if isinstance(self.seed, bool) or not isinstance(self.seed, (int, np.integer)) or self.seed < 0:
            raise InputError(f"seed={self.seed!r}; expected a whole number that is not negative")

    @cached_property
    def _points(self) -> Points:
        return DESIGNS[self.name](self.dimension, self.n, int(self.seed))

    def __call__(self, first: int, last: int) -> Floats:
        """Points of the runs from first to last, which is not among them."""
        return np.clip(self._points(first, last), EDGE, 1.0 - 2 * EDGE)

    def __reduce__(self) -> tuple[object, ...]:
        return Design, (self.name, self.dimension, self.n, self.seed)


def _qmc() -> Any:
    remedy = "this design needs SciPy; run: pip install 'anyjoint[scipy]', or take design='random'"
    return optional("scipy.stats", remedy).qmc
