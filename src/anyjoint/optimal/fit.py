"""Parameters from measurements: Gauss-Newton on exact derivatives, with how certain each one is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from anyjoint.errors import AnyjointError, InputError
from anyjoint.options import named_options
from anyjoint.simulate.progress import Progress
from anyjoint.simulate.trajectory import Trajectory

from .unknowns import Unknown, quiet, settings, split, unknown

if TYPE_CHECKING:
    from anyjoint.model import Model

Floats = np.ndarray[Any, np.dtype[Any]]
BLIND = 1e-10  # of the largest: directions of parameters in which measurements change by less say nothing


@dataclass(frozen=True)
class Identified:
    """Fitted parameters: `values` as `model.parameters.set` takes them, and their standard deviations by label."""

    values: dict[str, Any]
    uncertainty: dict[str, float]
    covariance: Floats = field(repr=False)
    rms: float
    iterations: int
    converged: bool
    history: tuple[float, ...] = field(repr=False)  # rms of the residuals after each iteration
    measured: Floats = field(repr=False)
    fitted: Floats = field(repr=False)
    t: Floats | None = field(repr=False, default=None)

    def plot(self) -> Any:
        """Measurements and what the fitted model makes of them, and how the fit went."""
        from .plot import plot_fit

        return plot_fit(self)

    def __str__(self) -> str:
        known = [f"  {name} = {_text(value)}" for name, value in self.values.items()]
        spread = [f"  {label}: +- {value:.2g}" for label, value in self.uncertainty.items()]
        how = "converged" if self.converged else "stopped"
        head = f"{how} after {self.iterations} iterations, residuals of {self.rms:.3g} (rms)"
        return "\n".join([head, *known, "standard deviations:", *spread])


def _text(value: Any) -> str:
    return np.array2string(np.asarray(value), precision=6, separator=", ").replace("\n", "")


@named_options
def identify(
    model: Model, data: Trajectory | Mapping[str, Any], parameters: Sequence[str], *, sigma: Any = None,
    iterations: int = 50, tolerance: float = 1e-10, simulate: Mapping[str, Any] | None = None, progress: Any = None,
) -> Identified:  # fmt: skip
    """Fit parameters to measurements; the model keeps those that it has.

    `data` is a measured motion (a Trajectory with t, q, v: the run begins at its first sample, and `simulate` has
    options for it, such as a finer dt or forces), or {"q": ..., "v": ..., "a": ..., "tau": ...}, states with the forces
    that went with them. `parameters` are names such as "rod/mass", "wheel/joint/R" or "rod/inertia", all of a body's
    inertia by numbers that always make a solid. `sigma` is the standard deviation of the measurements, one number or
    one per column; without it, it is estimated from what is left.
    """
    unknowns = [unknown(model, name) for name in ([parameters] if isinstance(parameters, str) else parameters)]
    if not unknowns:
        raise InputError("identify: parameters is empty; name at least one, such as 'rod/mass'")
    residuals = _motion(model, data, simulate) if isinstance(data, Trajectory) else _forces(model, data)
    weights = _weights(sigma, residuals.measured.shape[-1])
    before = {name: model.parameters[name] for item in unknowns for name in item.values(item.start)}
    bar = Progress(progress, f"fitting {model.mechanism.name}")
    try:
        with quiet():
            return _fit(model, unknowns, residuals, weights, sigma is not None, iterations, tolerance, bar)
    finally:
        bar.close()
        model.parameters.set(before)


# -- what is measured ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Forces:
    """States with the forces that went with them: linear in most parameters, and no run is needed."""

    model: Any
    rows: tuple[Floats, Floats, Floats]
    measured: Floats
    t: Floats | None = None

    def predicted(self) -> tuple[Any, Floats]:
        return None, np.asarray(self.model.inverse_dynamics(*self.rows))

    def slope(self, _: Any, direction: Mapping[str, Any]) -> Floats:
        return np.asarray(self.model.jvp("inverse_dynamics", self.rows, direction)[1])


@dataclass(frozen=True)
class _Motion:
    """A motion that a run from the same start should follow."""

    model: Any
    options: dict[str, Any]
    start: tuple[Floats, Floats]
    measured: Floats
    t: Floats

    def predicted(self) -> tuple[Any, Floats]:
        run = self.model.simulate(*self.start, gradient=True, **self.options)
        if not run.status.ok:
            raise InputError(f"identify: a run with trial parameters did not reach its end: {run.status.reason}")
        return run, run.q

    def slope(self, run: Any, direction: Mapping[str, Any]) -> Floats:
        return np.asarray(run.tangent(direction, raw=True)[0])


def _forces(model: Any, data: Any) -> _Forces:
    if not isinstance(data, Mapping) or set(data) != {"q", "v", "a", "tau"}:
        raise InputError('identify: data is a Trajectory, or {"q": ..., "v": ..., "a": ..., "tau": ...} by rows')
    rows = {name: np.asarray(data[name], dtype=float) for name in ("q", "v", "a", "tau")}
    for name, row in rows.items():
        n = model.nq if name == "q" else model.nv
        if row.ndim != 2 or row.shape != (len(rows["q"]), n) or not np.isfinite(row).all():
            raise InputError(f"identify: {name} has shape {row.shape}; expected finite numbers (states, {n})")
    return _Forces(model, (rows["q"], rows["v"], rows["a"]), rows["tau"])


def _motion(model: Any, data: Trajectory, options: Mapping[str, Any] | None) -> _Motion:
    if data.q.ndim != 2 or data.q.shape[1] != model.nq or len(data.t) < 2:
        raise InputError(f"identify: the measured motion has q of shape {data.q.shape}; expected (samples, {model.nq})")
    spacing = np.diff(data.t)
    if np.ptp(spacing) > 1e-6 * spacing[0]:
        raise InputError("identify: samples of the measured motion are not equally far apart in time; resample it")
    chosen = dict(options or {})
    steps = max(1, round(float(spacing[0]) / float(chosen.pop("dt", spacing[0]))))
    chosen |= {"duration": float(data.t[-1]), "dt": float(spacing[0]) / steps, "save_every": steps}
    return _Motion(model, chosen, (data.q[0], data.v[0]), data.q, data.t)


def _weights(sigma: Any, columns: int) -> Floats:
    given = np.ones(columns) if sigma is None else np.broadcast_to(np.asarray(sigma, dtype=float), (columns,))
    if not (np.isfinite(given) & (given > 0)).all():
        raise InputError(f"identify: sigma={sigma!r}; expected positive numbers, one or {columns}")
    return 1 / given


# -- Gauss and Newton --------------------------------------------------------------------------------------------------


def _fit(
    model: Any, unknowns: Sequence[Unknown], residuals: Any, weights: Floats, known: bool, iterations: int,
    tolerance: float, bar: Progress,
) -> Identified:  # fmt: skip
    """Steps that shrink while they do not help; damped as Levenberg and Marquardt do."""
    x = np.concatenate([item.start for item in unknowns])
    labels = [label for item in unknowns for label in item.labels]

    def at(x: Floats) -> tuple[Any, Floats, Floats]:
        model.parameters.set(settings(x, unknowns))
        run, fitted = residuals.predicted()
        return run, fitted, ((fitted - residuals.measured) * weights).ravel()

    def slopes(run: Any, x: Floats) -> Floats:
        ways = [way for item, part in split(x, unknowns) for way in item.directions(part)]
        return np.stack([(residuals.slope(run, way) * weights).ravel() for way in ways], axis=1)

    run, fitted, r = at(x)
    history, damping, converged, count = [_rms(r)], 1e-3, False, 0
    while count < iterations and not converged:
        count += 1
        J = slopes(run, x)
        scale = np.maximum(np.linalg.norm(J, axis=0), 1e-300)
        U, s, V = np.linalg.svd(J / scale, full_matrices=False)
        seen = s > BLIND * max(s[0], 1e-300)  # parameters stay what they are where measurements say nothing
        improved = False
        for _ in range(20):
            step = -(V[seen].T @ (s[seen] / (s[seen] ** 2 + damping) * (U.T @ r)[seen])) / scale
            try:
                trial = at(x + step)
            except AnyjointError:  # no such body, or a run that fails
                damping = max(10 * damping, 1e-6)
                continue
            if trial[2] @ trial[2] <= r @ r * (1 + 1e-12):
                improved = True
                break
            damping = max(10 * damping, 1e-6)
        if not improved:
            break
        shrunk = 1 - np.linalg.norm(trial[2]) / max(float(np.linalg.norm(r)), 1e-300)
        small = np.abs(step).max() <= tolerance * max(np.abs(x).max(), 1.0)
        x, (run, fitted, r), damping = x + step, trial, damping / 10
        history.append(_rms(r))
        converged = bool(small or shrunk < tolerance)
        bar.show(count / iterations)
    J = slopes(at(x)[0], x)
    covariance, blind = _covariance(J, r, known)
    spread = np.where(blind, np.inf, np.sqrt(np.maximum(np.diag(covariance), 0)))
    return Identified(
        settings(x, unknowns), dict(zip(labels, spread.tolist(), strict=True)), covariance, _rms(r), count,
        converged or not history[-1] > 0, tuple(history), residuals.measured, fitted, residuals.t,
    )  # fmt: skip


def _rms(r: Floats) -> float:
    return float(np.sqrt(np.mean(r * r)))


def _covariance(J: Floats, r: Floats, known: bool) -> tuple[Floats, Floats]:
    """Of the free numbers, and which of them measurements say nothing about."""
    scale = np.maximum(np.linalg.norm(J, axis=0), 1e-300)
    _, s, V = np.linalg.svd(J / scale, full_matrices=False)
    seen = s > BLIND * max(s[0], 1e-300)
    spare = max(len(r) - int(seen.sum()), 1)
    variance = 1.0 if known else float(r @ r) / spare
    root = V[seen].T / s[seen] / scale[:, None]
    blind = (np.abs(V[~seen]) > 1e-6).any(axis=0) | (np.linalg.norm(J, axis=0) == 0)
    with np.errstate(over="ignore", invalid="ignore"):
        return variance * root @ root.T, blind
