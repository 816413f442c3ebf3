"""Parameters from measurements: Gauss-Newton on exact derivatives, with how certain each one is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from anyjoint.errors import AnyjointError, InputError
from anyjoint.frozen import frozen
from anyjoint.model.arguments import finite
from anyjoint.model.asked_product import named
from anyjoint.model.check_model import check_model
from anyjoint.options import named_options
from anyjoint.scalar.array import Floats
from anyjoint.simulate.progress import Progress
from anyjoint.simulate.trajectory import Trajectory

from .measured import Measured, measurements
from .page import Runs, iterations_page
from .setting import Setting
from .unknowns import Unknown, check_apart, checked_iterations, quiet, settings, split, unknown

if TYPE_CHECKING:
    from anyjoint.model import Model
    from anyjoint.simulate.progress import Telling

ROUNDED = 1e-12  # of the largest: what measurements change by less, with a number by 1 or by all of it, is rounding
BLIND = 1e-10  # of the largest: directions of parameters in which measurements change by less say nothing


@frozen
class Identified:
    """Fitted parameters: `values` as `model.parameters.set` takes them (but for "q0" and "v0", if these were fitted),
    and their standard deviations by label."""

    values: dict[str, object]
    uncertainty: dict[str, float]
    covariance: Floats = field(repr=False)
    rms: float
    iterations: int
    converged: bool
    history: tuple[float, ...] = field(repr=False)  # rms of the residuals after each iteration
    measured: Floats = field(repr=False)
    fitted: Floats = field(repr=False)
    t: Floats | None = field(repr=False, default=None)
    steps: tuple[dict[str, Any], ...] = field(repr=False, default=())  # values after each iteration
    runs: Runs | None = field(repr=False, default=None)  # motions with such values, if a motion was fitted
    trouble: str = ""  # why it stopped before it converged

    @named_options
    def to_html(
        self, path: str | Path, *, most: int = 40, title: str | None = None, description: str = "",
        frame_rate: float = 30.0, theme: str | None = None, lite: bool | None = None, autoplay: bool | None = None,
    ) -> Path:  # fmt: skip
        """Write one page with the motions of the iterations, at most `most` of them, and a slider that chooses.

        The first guess and the last iteration are among them; further options are those of `Trajectory.to_html`.
        """
        if self.runs is None:
            raise InputError("to_html: states and forces were fitted, which are no motion; fit a run or markers to see")
        return iterations_page(
            tuple(zip(self.history, self.steps, strict=True)), self.runs, path, most, value="residual", title=title,
            description=description, frame_rate=frame_rate, theme=theme, lite=lite, autoplay=autoplay,
        )  # fmt: skip

    def plot(self) -> Any:
        """Measurements and what the fitted model makes of them, and how the fit went."""
        from .plot import plot_fit

        return plot_fit(self)

    def __str__(self) -> str:
        known = [f"  {name} = {_text(value)}" for name, value in self.values.items()]
        spread = [f"  {label}: +- {value:.2g}" for label, value in self.uncertainty.items()]
        how = "converged" if self.converged else "stopped"
        head = f"{how} after {self.iterations} iterations, residuals of {self.rms:.3g} (rms)"
        head += f": {self.trouble}" if self.trouble else ""
        return "\n".join([head, *known, "standard deviations:", *spread])


def _text(value: object) -> str:
    return np.array2string(np.asarray(value), precision=6, separator=", ").replace("\n", "")


@named_options
def identify(
    model: Model, data: Trajectory | Mapping[str, object], parameters: Sequence[str], *, sigma: Any = None,
    iterations: int = 50, tolerance: float = 1e-10, simulate: Mapping[str, Any] | None = None, progress: Telling = None,
) -> Identified:  # fmt: skip
    """Fit parameters to measurements; the model keeps those that it has.

    `data` is a measured motion (a Trajectory, or {"t": ..., "q": ..., "v": ...} by rows: the run begins at its first
    sample, and `simulate` has options for it, such as a finer dt or forces); or where points of bodies were seen,
    (samples, 3) each, {"t": ..., "markers": {("shin", (0.4, 0, 0)): positions, ...}, "q0": ..., "v0": ...}; or
    {"q": ..., "v": ..., "a": ..., "tau": ...}, states with the forces that went with them. `parameters` are names such
    as "rod/mass", "wheel/joint/R", "rod/inertia", all of a body's inertia by numbers that always make a solid, or
    "forces/0/stiffness", of the first of the forces among the options; "q0" and "v0" are where the run begins: without
    them its first sample is taken as exact, and so are uncertainties. `sigma` is the standard deviation of the
    measurements, one number or one per column; without it, it is estimated from what is left.
    """
    check_model("identify", model)
    if model.dtype != np.float64:
        raise InputError(f"identify: the model computes in {model.dtype}; compile with dtype='float64'")
    checked_iterations("identify", iterations, tolerance)
    residuals = measurements(model, data, simulate)
    setting: Setting = residuals.setting
    names = named("identify", parameters)
    unknowns = [residuals.begin(name) or unknown(model, name, setting.acting) for name in names]
    if not unknowns:
        raise InputError("identify: parameters is empty; name at least one, such as 'rod/mass'")
    check_apart("identify", unknowns)
    weights = _weights(sigma, residuals.measured.shape[-1])
    before = setting.present({name: None for item in unknowns for name in item.values(item.start)})
    bar = Progress(progress, f"fitting {model.mechanism.name}")
    try:
        with quiet():
            return _fit(unknowns, residuals, weights, sigma is not None, iterations, tolerance, bar)
    finally:
        bar.close()
        model.parameters.set(before)


def _weights(sigma: object, columns: int) -> Floats:
    given = finite("identify: sigma", 1.0 if sigma is None else sigma, (), (columns,))
    if not (given > 0).all():
        raise InputError(f"identify: sigma={sigma!r}; expected positive numbers, one or {columns}")
    return np.asarray(1 / np.broadcast_to(given, (columns,)))


# -- Gauss and Newton --------------------------------------------------------------------------------------------------


def _fit(
    unknowns: Sequence[Unknown], residuals: Measured, weights: Floats, known: bool, iterations: int, tolerance: float,
    bar: Progress,
) -> Identified:  # fmt: skip
    """Steps that shrink while they do not help; damped as Levenberg and Marquardt do."""
    x = np.concatenate([item.start for item in unknowns])
    labels = [label for item in unknowns for label in item.labels]

    def at(x: Floats) -> tuple[Any, Floats, Floats]:
        run, fitted = residuals.predicted(settings(x, unknowns))
        return run, fitted, ((fitted - residuals.beside(fitted)) * weights).ravel()

    def slopes(run: Any, x: Floats) -> Floats:
        ways = [way for item, part in split(x, unknowns) for way in item.directions(part)]
        return np.stack([(residuals.slope(run, way) * weights).ravel() for way in ways], axis=1)

    run, fitted, r = at(x)
    history, steps, damping, converged, count = [_rms(r)], [settings(x, unknowns)], 1e-3, False, 0
    trouble = f"no more than {iterations} iterations were asked for"
    while count < iterations and not converged:
        count += 1
        J = slopes(run, x)
        scale = _scale(J, x)
        U, s, V = np.linalg.svd(J / scale, full_matrices=False)
        seen = s > BLIND * max(s[0], 1e-300)  # parameters stay what they are where measurements say nothing
        improved, why = False, "no step makes the residuals smaller"
        for _ in range(20):
            step = -(V[seen].T @ (s[seen] / (s[seen] ** 2 + damping) * (U.T @ r)[seen])) / scale
            try:
                trial = at(x + step)
            except AnyjointError as error:  # no such body, or a run that fails
                why = f"steps lead where the model has no answer ({error})"
                damping = max(10 * damping, 1e-6)
                continue
            if trial[2] @ trial[2] <= r @ r * (1 + 1e-12):
                improved = True
                break
            damping = max(10 * damping, 1e-6)
        if not improved:
            trouble = why
            break
        shrunk = 1 - np.linalg.norm(trial[2]) / max(float(np.linalg.norm(r)), 1e-300)
        small = np.abs(step).max() <= tolerance * max(np.abs(x).max(), 1.0)
        x, (run, fitted, r), damping = x + step, trial, damping / 10
        history.append(_rms(r))
        steps.append(settings(x, unknowns))
        converged = bool(small or shrunk < tolerance)
        bar.show(count / iterations)
    J = slopes(at(x)[0], x)
    covariance, blind = _covariance(J, x, r, known)
    spread = np.where(blind, np.inf, np.sqrt(np.maximum(np.diag(covariance), 0)))
    converged = converged or not history[-1] > 0
    return Identified(
        settings(x, unknowns), dict(zip(labels, spread.tolist(), strict=True)), covariance, _rms(r), count,
        converged, tuple(history), residuals.beside(fitted), fitted, residuals.t, tuple(steps), residuals.runs,
        "" if converged else trouble,
    )  # fmt: skip


def _rms(r: Floats) -> float:
    return float(np.sqrt(np.mean(r * r)))


def _scale(J: Floats, x: Floats) -> Floats:
    """How much measurements change with each number; infinity where what is there of it is rounding alone."""
    change = np.linalg.norm(J, axis=0)
    of_a_whole = change * np.maximum(np.abs(x), 1.0)
    return np.where(of_a_whole > ROUNDED * of_a_whole.max(), change, np.inf)


def _covariance(J: Floats, x: Floats, r: Floats, known: bool) -> tuple[Floats, Floats]:
    """Of the free numbers, and which of them measurements say nothing about."""
    scale = _scale(J, x)
    _, s, V = np.linalg.svd(J / scale, full_matrices=False)
    seen = s > BLIND * max(s[0], 1e-300)
    spare = max(len(r) - int(seen.sum()), 1)
    variance = 1.0 if known else float(r @ r) / spare
    root = V[seen].T / s[seen] / scale[:, None]
    blind = (np.abs(V[~seen]) > 1e-6).any(axis=0) | np.isinf(scale)
    with np.errstate(over="ignore", invalid="ignore"):
        return variance * root @ root.T, blind
