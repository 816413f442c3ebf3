"""What a sweep varies: distributions as maps from the unit cube to values, lists to choose from, grids."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from statistics import NormalDist
from typing import Any

import numpy as np

from anyjoint.errors import InputError
from anyjoint.frozen import frozen
from anyjoint.scalar import reals
from anyjoint.scalar.array import Floats

Shape = tuple[int, ...]
_QUANTILE: Callable[[Floats], Any] = np.frompyfunc(NormalDist().inv_cdf, 1, 1)


def standard_normal(u: Floats) -> Floats:
    """Numbers of the unit interval, ends excluded, as those of the standard normal distribution."""
    return np.asarray(_QUANTILE(u), dtype=float)


class Distribution(ABC):
    """How one value of a sweep is drawn; make one by `aj.uniform`, `aj.normal`, `aj.log_normal`, `aj.choice`, ...

    A value has a `shape`; a distribution of shape () gives every number of a parameter a value of its own.
    """

    @property
    @abstractmethod
    def shape(self) -> Shape:
        """The shape that its own numbers ask for, () if they serve any."""

    @abstractmethod
    def dimension(self, shape: Shape) -> int:
        """How many numbers of the unit cube a value of this shape takes."""

    @abstractmethod
    def values(self, u: Floats, shape: Shape) -> Any:
        """Values (runs, *shape) from numbers (runs, dimension) between 0 and 1, ends excluded."""

    def corners(self, rare: float, shape: Shape) -> list[Any]:
        """Values so far out that a run beyond them has about the probability `rare`."""
        u = np.full((2, self.dimension(shape)), rare)
        u[1] = 1.0 - rare
        return list(self.values(u, shape))

    def typical(self, shape: Shape) -> Any:
        """A value in the middle."""
        return self.values(np.full((1, self.dimension(shape)), 0.5), shape)[0]


@frozen
class Uniform(Distribution):
    """Anywhere between two ends."""

    low: Any
    high: Any

    @property
    def shape(self) -> Shape:
        return np.broadcast_shapes(np.shape(self.low), np.shape(self.high))

    def dimension(self, shape: Shape) -> int:
        return int(np.prod(shape))

    def values(self, u: Floats, shape: Shape) -> Floats:
        low, high = np.array(self.low), np.array(self.high)
        return np.asarray(low + (high - low) * u.reshape(len(u), *shape))

    def corners(self, rare: float, shape: Shape) -> list[Any]:
        return [np.broadcast_to(np.array(end, dtype=float), shape) for end in (self.low, self.high)]


@frozen
class Normal(Distribution):
    """Around a mean, by standard deviations, or by a matrix of covariances; `exponent` for that of a logarithm."""

    mean: Any
    std: Any = None
    covariance: Any = None
    exponent: bool = False

    @property
    def shape(self) -> Shape:
        return np.broadcast_shapes(np.shape(self.mean), np.shape(self.std) if self.covariance is None else ())

    def dimension(self, shape: Shape) -> int:
        return int(np.prod(shape))

    def values(self, u: Floats, shape: Shape) -> Floats:
        z = standard_normal(u)
        if self.covariance is None:
            spread = np.array(self.std) * z.reshape(len(u), *shape)
        else:
            spread = (z @ _root(np.array(self.covariance)).T).reshape(len(u), *shape)
        found = np.array(self.mean) + spread
        return np.asarray(np.exp(found) if self.exponent else found)

    def corners(self, rare: float, shape: Shape) -> list[Any]:
        std = np.array(self.std) if self.covariance is None else np.sqrt(np.diag(np.array(self.covariance)))
        ends = [np.array(self.mean) + std * z for z in standard_normal(np.array([rare, 1.0 - rare]))]
        return [np.broadcast_to(np.exp(end) if self.exponent else end, shape) for end in ends]


@frozen
class Choice(Distribution):
    """One of some values, each with its weight."""

    options: tuple[Any, ...]
    weights: tuple[float, ...]

    @property
    def shape(self) -> Shape:
        return np.shape(self.options[0])

    def dimension(self, shape: Shape) -> int:
        return 1

    def values(self, u: Floats, shape: Shape) -> Any:
        ends = np.cumsum(self.weights)
        places = np.minimum(np.searchsorted(ends, u[:, 0] * ends[-1], side="right"), len(self.options) - 1)
        return picked(self.options, places)

    def corners(self, rare: float, shape: Shape) -> list[Any]:
        return [option for option, weight in zip(self.options, self.weights, strict=True) if weight > 0]


@frozen
class Grid(Distribution):
    """Values that all come, together with all those of other grids."""

    options: tuple[Any, ...]

    @property
    def shape(self) -> Shape:
        return np.shape(self.options[0])

    def dimension(self, shape: Shape) -> int:
        return 0

    def values(self, u: Floats, shape: Shape) -> Any:
        return picked(self.options, np.zeros(len(u), dtype=int))

    def corners(self, rare: float, shape: Shape) -> list[Any]:
        return list(self.options)


def picked(options: Sequence[Any], places: Floats) -> Any:
    """Options by their places: an array of numbers, or a list of what is no number, such as poses."""
    if is_numeric(options):
        return np.array(options, dtype=float)[places]
    return [options[k] for k in places]


def is_numeric(options: Sequence[Any]) -> bool:
    """Whether options are numbers, or arrays of them."""
    return all(isinstance(option, (float, tuple)) for option in options)


def _root(covariance: Floats) -> Floats:
    """A square root of a matrix that may be singular."""
    size, axes = np.linalg.eigh(covariance)
    return np.asarray(axes * np.sqrt(np.maximum(size, 0.0)))


# -- what users call ----------------------------------------------------------------------------------------------


def uniform(low: Any, high: Any) -> Uniform:
    """Anywhere between `low` and `high` with the same density; numbers, or one for each of a vector parameter.

    >>> space = {"bob/mass": aj.uniform(1, 2), "q0": aj.uniform(-0.5, 0.5)}
    >>> aj.sweep(model, space, n=4, duration=0.1, seed=7).values.shape
    (4, 2)
    """
    given = _numbers("uniform", low=low, high=high)
    if np.any(np.array(given["high"]) < np.array(given["low"])):
        raise InputError(f"uniform({low!r}, {high!r}): the lower end is above the upper one; give the lower one first")
    return Uniform(given["low"], given["high"])


def normal(mean: Any, std: Any = None, *, covariance: Any = None) -> Normal:
    """Around `mean` by the standard deviation `std`; or correlated, by a matrix of covariances.

    Several parameters that belong together stand under a tuple of their names:

    >>> together = aj.normal([1.0, 0.2], covariance=[[0.01, 0.005], [0.005, 0.01]])
    >>> space = {("bob/mass", "v0/bob/angle"): together}
    >>> aj.sweep(model, space, n=4, duration=0.1).complete
    True
    """
    return _normal("normal", mean, std, covariance)


def log_normal(median: Any, std: Any = None, *, covariance: Any = None) -> Normal:
    """Positive values around `median`; `std` (or `covariance`) is that of their natural logarithm.

    For a small std it is the relative deviation: 0.05 is 5 percent.
    """
    centre = np.array(_numbers("log_normal", median=median)["median"])
    if np.any(centre <= 0):
        raise InputError(f"log_normal: the median is {median!r}; expected a positive number")
    return _normal("log_normal", np.log(centre), std, covariance, exponent=True)


def choice(options: Sequence[Any], weights: Sequence[float] | None = None) -> Choice:
    """One of some values (numbers, vectors, poses), all as likely as each other unless there are `weights`."""
    made = _options("choice", options)
    if weights is None:
        return Choice(made, (1.0,) * len(made))
    given = _numbers("choice", weights=weights)["weights"]
    if np.shape(given) != (len(made),) or min(given) < 0 or not sum(given):
        raise InputError(f"choice: weights={weights!r}; expected {len(made)} numbers that are not negative nor all 0")
    return Choice(made, given)


def grid(options: Sequence[Any]) -> Grid:
    """All of some values; several grids make all their combinations, and a sweep of them knows its n by itself."""
    return Grid(_options("grid", options))


def _normal(name: str, mean: Any, std: Any, covariance: Any, exponent: bool = False) -> Normal:
    if (std is None) == (covariance is None):
        raise InputError(f"{name}: give either a standard deviation std or a covariance, and not both")
    centre = _numbers(name, mean=mean)["mean"]
    if covariance is None:
        spread = _numbers(name, std=std)["std"]
        if np.any(np.array(spread) < 0):
            raise InputError(f"{name}: std={std!r}; expected a number that is not negative")
        return Normal(centre, spread, exponent=exponent)
    matrix = np.array(_numbers(name, covariance=covariance)["covariance"])
    n = np.size(centre)
    if np.ndim(centre) != 1 or matrix.shape != (n, n):
        raise InputError(f"{name}: a covariance of shape {matrix.shape} with {n} means; expected ({n}, {n}) and a list")
    scale = max(float(np.abs(matrix).max()), 1e-300)
    if np.abs(matrix - matrix.T).max() > 1e-9 * scale or np.linalg.eigvalsh(matrix).min() < -1e-9 * scale:
        raise InputError(f"{name}: the covariance must be symmetric, without negative eigenvalues")
    return Normal(centre, covariance=_nested(matrix), exponent=exponent)


def _numbers(where: str, **given: Any) -> dict[str, Any]:
    """Finite numbers as plain nested tuples, which compare, hash and print well."""
    made = {}
    for name, value in given.items():
        try:
            found = reals(value)
        except (TypeError, ValueError):
            raise InputError(f"{where}: {name}={value!r}; expected numbers") from None
        if not np.isfinite(found).all() or not found.size:
            raise InputError(f"{where}: {name}={value!r}; expected finite numbers, at least one")
        made[name] = _nested(found)
    return made


def _options(where: str, options: Any) -> tuple[Any, ...]:
    """Values as plain nested tuples; what is no number stays as it is."""
    if isinstance(options, (str, bytes)) or not hasattr(options, "__len__"):
        raise InputError(f"{where}({options!r}): expected a list of values")
    given = list(options)
    if not given:
        raise InputError(f"{where}: the list is empty; give at least one value")
    made = []
    for option in given:
        try:
            made.append(_nested(reals(option)))
        except (TypeError, ValueError):
            made.append(option)
    if len({np.shape(option) if isinstance(option, (float, tuple)) else None for option in made}) > 1:
        raise InputError(f"{where}: the values have different shapes; give all of them the same")
    if is_numeric(made) and not np.isfinite(np.array(made)).all():
        raise InputError(f"{where}: a value is NaN or infinite; give finite numbers")
    return tuple(made)


def _nested(array: Any) -> Any:
    """An array as nested tuples of floats."""
    return tuple(_nested(row) for row in array) if np.ndim(array) else float(array)
