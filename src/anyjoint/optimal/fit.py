"""Parameters from measurements: Gauss-Newton on exact derivatives, with how certain each one is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from anyjoint.errors import AnyjointError, InputError
from anyjoint.forces.force import is_number
from anyjoint.model.arguments import finite
from anyjoint.model.product_questions import named
from anyjoint.options import named_options
from anyjoint.simulate.progress import Progress
from anyjoint.simulate.trajectory import Trajectory

from .unknowns import Unknown, check_apart, checked_iterations, quiet, run_options, settings, split, unknown

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
    options for it, such as a finer dt or forces); or where points of bodies were seen, (samples, 3) each, {"t": ...,
    "markers": {("shin", (0.4, 0, 0)): positions, ...}, "q0": ..., "v0": ...}; or {"q": ..., "v": ..., "a": ...,
    "tau": ...}, states with the forces that went with them. `parameters` are names such as "rod/mass", "wheel/joint/R"
    or "rod/inertia", all of a body's inertia by numbers that always make a solid. `sigma` is the standard deviation of
    the measurements, one number or one per column; without it, it is estimated from what is left.
    """
    unknowns = [unknown(model, name) for name in named("identify", parameters)]
    if not unknowns:
        raise InputError("identify: parameters is empty; name at least one, such as 'rod/mass'")
    check_apart("identify", unknowns)
    checked_iterations("identify", iterations, tolerance)
    residuals = _residuals(model, data, simulate)
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


@dataclass(frozen=True)
class _Markers:
    """Points of bodies that a camera has followed."""

    motion: _Motion
    bodies: tuple[int, ...]
    points: Floats  # (markers, 4), in the bodies' frames
    measured: Floats  # (samples, 3 markers)

    @property
    def t(self) -> Floats:
        return self.motion.t

    def predicted(self) -> tuple[Any, Floats]:
        run, q = self.motion.predicted()
        return run, self._seen(np.asarray(self.motion.model.body_poses(q)))

    def slope(self, run: Any, direction: Mapping[str, Any]) -> Floats:
        dq = self.motion.slope(run, direction)
        _, rates = self.motion.model.jvp("body_poses", (run.q,), {"q": dq, **direction}, raw=True)
        return self._seen(np.asarray(rates))

    def _seen(self, poses: Floats) -> Floats:
        at = np.einsum("smij,mj->smi", poses[:, list(self.bodies)], self.points)[..., :3]
        return np.asarray(at.reshape(len(poses), -1))


def _residuals(model: Any, data: Any, options: Mapping[str, Any] | None) -> Any:
    """What is measured, by the kind of the data."""
    if isinstance(data, Trajectory):
        return _motion(model, data.t, data.q, data.v, options)
    if isinstance(data, Mapping) and "markers" in data:
        return _markers(model, data, options)
    return _forces(model, data)


def _markers(model: Any, data: Mapping[str, Any], options: Mapping[str, Any] | None) -> _Markers:
    if "t" not in data or not isinstance(data["markers"], Mapping) or not data["markers"]:
        raise InputError('identify: markers come with times, {"t": ..., "markers": {("shin", (0.4, 0, 0)): positions}}')
    t, seen = np.atleast_1d(finite("identify: t", data["t"])), dict(data["markers"])
    sizes = (("q0", model.nq), ("v0", model.nv))
    q0, v0 = (finite(f"identify: {name}", data.get(name, np.zeros(n)), (n,)) for name, n in sizes)
    for key, positions in seen.items():
        if not isinstance(key, tuple) or len(key) != 2:
            raise InputError(f"identify: marker {key!r}; expected a body and a point of it, ('shin', (0.4, 0, 0))")
        finite(f"identify: marker {key!r}", key[1], (3,))
        finite(f"identify: marker {key!r}", positions, (len(t), 3))
    rows = np.tile(q0, (len(t), 1))
    motion = _motion(model, t, rows, np.tile(v0, (len(t), 1)), options)
    bodies = tuple(model.body_index(body) for body, _ in seen)
    points = np.array([[*point, 1.0] for _, point in seen], dtype=float)
    measured = np.hstack([np.asarray(positions, dtype=float) for positions in seen.values()])
    return _Markers(motion, bodies, points, measured)


def _forces(model: Any, data: Any) -> _Forces:
    if not isinstance(data, Mapping) or set(data) != {"q", "v", "a", "tau"}:
        raise InputError('identify: data is a Trajectory, or {"q": ..., "v": ..., "a": ..., "tau": ...} by rows')
    rows = {name: finite(f"identify: {name}", data[name]) for name in ("q", "v", "a", "tau")}
    for name, row in rows.items():
        n = model.nq if name == "q" else model.nv
        if row.ndim != 2 or row.shape != (len(rows["q"]), n) or not row.size:
            raise InputError(f"identify: {name} has shape {row.shape}; expected finite numbers (states, {n})")
    return _Forces(model, (rows["q"], rows["v"], rows["a"]), rows["tau"])


def _motion(model: Any, t: Floats, q: Floats, v: Floats, options: Mapping[str, Any] | None) -> _Motion:
    if q.ndim != 2 or q.shape[1] != model.nq or len(t) < 2:
        raise InputError(f"identify: the measured motion has q of shape {q.shape}; expected (samples, {model.nq})")
    spacing = np.diff(t)
    if not spacing[0] > 0 or np.ptp(spacing) > 1e-6 * spacing[0]:
        raise InputError("identify: samples of the measured motion are not equally far apart in time; resample it")
    chosen = run_options("identify", options, ("q0", "v0", "duration", "save_every"))
    dt = chosen.pop("dt", spacing[0])
    if not is_number(dt) or not dt > 0:
        raise InputError(f"identify: dt={dt!r}; expected a positive number of seconds")
    steps = max(1, round(float(spacing[0]) / float(dt)))
    chosen |= {"duration": float(t[-1] - t[0]), "dt": float(spacing[0]) / steps, "save_every": steps}
    return _Motion(model, chosen, (q[0], v[0]), q, t)


def _weights(sigma: Any, columns: int) -> Floats:
    given = finite("identify: sigma", 1.0 if sigma is None else sigma, (), (columns,))
    if not (given > 0).all():
        raise InputError(f"identify: sigma={sigma!r}; expected positive numbers, one or {columns}")
    return np.asarray(1 / np.broadcast_to(given, (columns,)))


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
