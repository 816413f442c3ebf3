"""Inputs, starts and parameters that make a run cheapest: gradients back through the run, and SciPy's L-BFGS."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from anyjoint.errors import AnyjointError, InputError
from anyjoint.frozen import frozen
from anyjoint.model.arguments import finite
from anyjoint.model.check_model import check_model
from anyjoint.optional import optional
from anyjoint.options import named_options
from anyjoint.scalar.array import ArrayLike, Floats
from anyjoint.simulate.progress import Progress
from anyjoint.simulate.run_problem import DURATION, Q0, TAU, V0, ended_at_event
from anyjoint.simulate.trajectory import Trajectory

from .cost import Cost
from .page import Runs, iterations_page
from .regulator import free_velocities
from .setting import Setting, run_options, start_of
from .unknowns import Unknown, check_apart, checked_iterations, limits, quiet, split, unknown

if TYPE_CHECKING:
    from anyjoint.model import Model
    from anyjoint.simulate.progress import Telling

OWN = (Q0, V0, TAU, DURATION)
HOPELESS = 1e30  # the cost of a run that fails


@frozen
class Optimised:
    """What was found: values by name, their cost, the motion; `history` has (cost, values) of every iteration."""

    values: dict[str, Any]
    cost: float
    converged: bool
    message: str
    iterations: int
    traj: Trajectory = field(repr=False)
    history: tuple[tuple[float, dict[str, Any]], ...] = field(repr=False)
    runs: Runs = field(repr=False)

    def motion(self, iteration: int) -> Trajectory:
        """The motion of an iteration; 0 is that of the first guess."""
        (found,) = self.runs([self.history[iteration][1]])
        found.remember()
        return found

    @named_options
    def to_html(
        self, path: str | Path, *, most: int = 40, title: str | None = None, description: str = "",
        frame_rate: float = 30.0, theme: str | None = None, lite: bool | None = None, autoplay: bool | None = None,
    ) -> Path:  # fmt: skip
        """Write one page with the motions of the iterations, at most `most` of them, and a slider that chooses.

        The first guess and the last iteration are among them; further options are those of `Trajectory.to_html`.
        """
        return iterations_page(
            self.history, self.runs, path, most, title=title, description=description, frame_rate=frame_rate,
            theme=theme, lite=lite, autoplay=autoplay,
        )  # fmt: skip

    def plot(self) -> Any:
        """The cost over the iterations, and the motion and inputs that were found."""
        from .plot import plot_optimum

        return plot_optimum(self)

    def __str__(self) -> str:
        how = "converged" if self.converged else "stopped"
        return f"{how} after {self.iterations} iterations at a cost of {self.cost:.6g}: {self.message}"


@named_options
def optimise(
    model: Model, over: Mapping[str, Any], *, final: Callable[..., Any] | None = None,
    running: Callable[..., Any] | None = None, duration: float = 1.0, dt: float = 1e-2, q0: ArrayLike | None = None,
    v0: ArrayLike | None = None, actuated: Sequence[Any] | None = None,
    bounds: Mapping[str, tuple[Any, Any]] | None = None, iterations: int = 200, tolerance: float = 1e-8,
    simulate: Mapping[str, Any] | None = None, progress: Telling = None,
) -> Optimised:  # fmt: skip
    """Find what makes a run cheapest; the model keeps the parameters that it has.

    `over` are first guesses by name: "tau" (inputs (samples, nv) over the duration, or constant), "q0", "v0",
    "duration" (of as many steps as duration / dt), parameters such as "rod/mass", and numbers of the forces of the runs
    such as "forces/0/stiffness", of the first one (None: the present value). The cost is final(q, v) of the last state,
    and the integral of running(t, q, v, tau), plain functions that are traced and differentiated; tau is the inputs of
    the run. `actuated` are the bodies or velocities whose inputs may change, `bounds` a lowest and highest value by
    name (None: free), `simulate` options of the runs such as method or forces.
    """
    check_model("optimise", model)
    checked_iterations("optimise", iterations, tolerance)
    problem = Search(model, over, final, running, actuated, simulate, (duration, dt, q0, v0))
    limits = problem.bounds(bounds)
    scipy = _scipy()
    bar = Progress(progress, f"optimising {model.mechanism.name}")
    before = problem.present
    history: list[tuple[float, dict[str, Any]]] = []

    def follow(intermediate_result: Any) -> None:
        problem.hindrance, problem.trouble = problem.trouble, ""
        history.append((float(intermediate_result.fun), problem.named(intermediate_result.x)))
        bar.show(len(history) / iterations)

    options = {"maxiter": iterations, "maxcor": 30, "ftol": tolerance * 1e-3, "gtol": tolerance, "maxls": 40}
    try:
        with quiet():
            history.append((problem.cost(problem.x)[0], problem.named(problem.x)))
            if not history[0][0] < HOPELESS:
                raise InputError(f"optimise: the run of the first guess fails: {problem.trouble}")
            found = scipy.minimize(
                problem.cost, problem.x, jac=True, method="L-BFGS-B", bounds=limits, callback=follow, options=options
            )
        values = problem.named(found.x)
        traj = problem.run(values)
    finally:
        bar.close()
        model.parameters.set(before)
    traj.remember()
    converged, message = bool(found.success), str(found.message)
    hindrance = problem.trouble or problem.hindrance
    if hindrance and found.status != 1 and "GRADIENT" not in message:  # neither out of iterations nor at an optimum
        converged, message = False, f"runs with values beside these fail: {hindrance}"
    return Optimised(
        values, float(found.fun), converged, message, int(found.nit), traj, tuple(history), problem.runs
    )


def _scipy() -> Any:
    return optional("scipy.optimize", "optimise: SciPy is not installed; pip install 'anyjoint[scipy]'")


class Search:
    """Free numbers, what they mean, and the cost of the run that they make."""

    def __init__(
        self, model: Model, over: Mapping[str, Any], final: Any, running: Any, actuated: Any, options: Any,
        run: tuple[Any, ...],
    ) -> None:  # fmt: skip
        self.model = model
        duration, dt, q0, v0 = run
        self.start = dict(zip((Q0, V0), start_of(model, "optimise", q0, v0), strict=True))
        if not isinstance(over, Mapping) or not over:
            given = "empty" if over is None or isinstance(over, Mapping) else f"{over!r}"
            raise InputError(f"optimise: over is {given}; give first guesses by name: {{'tau': np.zeros((50, nv))}}")
        own = (Q0, V0, DURATION, "dt", *((TAU,) if TAU in over else ()))
        self.setting = Setting(model, {"duration": duration, "dt": dt, **run_options("optimise", options, own)})
        self.start[DURATION] = finite("optimise: duration", duration, ())
        self.free = free_velocities(model, actuated, "optimise")
        self.unknowns = [self._unknown(name, guess) for name, guess in over.items()]
        check_apart("optimise", [item for item in self.unknowns if item.name not in OWN])
        self.x = np.concatenate([item.start for item in self.unknowns])
        if final is None and running is None:
            raise InputError("optimise: there is no cost; give final(q, v), running(t, q, v, tau), or both")
        self.final = None if final is None else Cost("final(q, v)", final, (model.nq, model.nv))
        sizes = (0, model.nq, model.nv, model.nv)
        self.running = None if running is None else Cost("running(t, q, v, tau)", running, sizes)
        self.names = tuple(over)
        self.trouble = ""  # why the last run failed, of those since the last iteration
        self.hindrance = ""  # the same of the iteration before

    def _unknown(self, name: str, guess: Any) -> Unknown:
        model = self.model
        if name == TAU:
            if guess is None:
                raise InputError("optimise: tau has no first guess; give inputs (samples, nv), such as zeros")
            value = finite("optimise: tau", guess)
            if value.ndim not in (1, 2) or value.shape[-1] != model.nv:
                expected = f"({model.nv},) or (samples, {model.nv})"
                raise InputError(f"optimise: tau has shape {value.shape}; expected finite numbers {expected}")
            self.tau = value
            return Unknown(TAU, value[..., self.free].ravel(), (TAU,), value[..., self.free].shape)
        if name in (Q0, V0):
            if model.mechanism.constraints:
                raise InputError(
                    f"optimise: over {name!r}, but {model.mechanism.name!r} has constraints, which other values would"
                    " leave; go over parameters or inputs"
                )
            value = self.start[name] if guess is None else finite(f"optimise: {name}", guess, self.start[name].shape)
            return Unknown(name, value.copy(), (name,), value.shape)
        if name == DURATION:
            value = self.start[name] if guess is None else finite("optimise: duration", guess, ())
            return Unknown(name, value.reshape(1), (name,), ())
        return unknown(model, name, self.setting.acting, guess, OWN)

    def named(self, x: Floats) -> dict[str, Any]:
        """All values for the free numbers."""
        made: dict[str, Any] = {}
        for item, part in split(np.asarray(x, dtype=float), self.unknowns):
            if item.name == TAU:
                tau = self.tau.copy()
                tau[..., self.free] = part.reshape(item.shape)
                made[TAU] = tau
            elif item.name in OWN:
                made[item.name] = part.copy().reshape(item.shape)
            else:
                made |= item.values(part)
        return made

    @property
    def present(self) -> dict[str, Any]:
        """What the model has in the place of parameters that change."""
        return self.setting.present({name: value for name, value in self.named(self.x).items() if name not in OWN})

    def run(self, values: Mapping[str, Any]) -> Trajectory:
        """The run with these values."""
        options = self.setting.set({name: x for name, x in values.items() if name not in OWN})
        start = {**self.start, **{name: values[name] for name in (Q0, V0) if name in values}}
        given = {TAU: values[TAU]} if TAU in values else {}
        if DURATION in values:  # as many steps, all stretched
            longer = float(values[DURATION]) / float(self.start[DURATION])
            given |= {name: longer * options[name] for name in (DURATION, "dt")}
        made: Trajectory = self.model.simulate(start[Q0], start[V0], gradient=True, **options | given)
        return made

    def runs(self, every: Iterable[Mapping[str, Any]]) -> Generator[Trajectory, None, None]:
        """Runs with such values; the model has them until the next one is asked for, and then is what it was."""
        before = self.present
        try:
            for values in every:
                with quiet():
                    made = self.run(values)
                yield made
        finally:
            self.model.parameters.set(before)

    def cost(self, x: Floats) -> tuple[float, Floats]:
        """The cost and its gradient; runs that fail cost so much that a shorter step is tried."""
        try:
            traj = self.run(self.named(x))
        except AnyjointError as error:
            self.trouble = str(error)
            return HOPELESS, np.zeros(len(x))
        if not traj.status.ok:
            self.trouble = traj.status.reason
            return HOPELESS, np.zeros(len(x))
        value, dq, dv, by_tau, by_duration = self._slopes(traj)
        if not np.isfinite([value, dq.sum(), dv.sum()]).all():
            self.trouble = "its cost or the slope of that is not finite"
            return HOPELESS, np.zeros(len(x))
        wrt = dict.fromkeys(key for item in self.unknowns for key in self._keys(item))
        found = traj.gradient(dq=dq, dv=dv, wrt=tuple(wrt), raw=True)
        made = []
        for item, part in split(np.asarray(x, dtype=float), self.unknowns):
            if item.name == TAU:
                made.append((found[TAU] + by_tau)[..., self.free].ravel())
            elif item.name == DURATION:
                made.append(found[DURATION].reshape(1) + by_duration)
            elif item.name in OWN:
                made.append(found[item.name])
            else:
                made.append(item.pulled(part, found))
        return value, np.concatenate(made)

    def _keys(self, item: Unknown) -> Sequence[str]:
        return [item.name] if item.name in OWN else list(item.values(item.start))

    def _slopes(self, traj: Trajectory) -> tuple[float, Floats, Floats, Any, float]:
        """The cost, and its slopes by all samples, by the inputs themselves and by the time that the run takes."""
        dq, dv, value = np.zeros_like(traj.q), np.zeros_like(traj.v), 0.0
        by_tau: Any = 0.0
        by_duration = 0.0
        if self.final:
            last, (by_q, by_v) = self.final.at(traj.q[-1:], traj.v[-1:])
            value += float(last[0])
            dq[-1] += by_q[0]
            dv[-1] += by_v[0]
        if self.running:
            assert traj.run is not None  # the runs of a search can be differentiated
            drive = traj.run.drive
            if ended_at_event(traj, traj.run):
                raise InputError(
                    "optimise: the run ends at an event, and how a running cost changes with the time of that is not"
                    " known; give a final cost only, or a run of fixed duration"
                )
            if DURATION in self.names and drive.times is not None and not drive.stretches:
                raise InputError("optimise: tau has times of its own; over the duration, give samples without times")
            inputs = drive.sampled(traj.t)
            each, (by_t, by_q, by_v, by_input) = self.running.at(traj.t, traj.q, traj.v, inputs)
            share = np.zeros(len(traj.t))  # the trapezoidal rule
            share[:-1] += np.diff(traj.t) / 2
            share[1:] += np.diff(traj.t) / 2
            value += float(share @ each)
            by_duration = float(share @ (each + by_t[:, 0] * traj.t)) / float(traj.t[-1])
            dq += share[:, None] * by_q
            dv += share[:, None] * by_v
            by_tau = drive.spread(traj.t, share[:, None] * by_input) if TAU in self.names else 0.0
        return value, dq, dv, by_tau, by_duration

    def bounds(self, given: Mapping[str, tuple[Any, Any]] | None) -> Any:
        """Lowest and highest values of the free numbers."""
        if given is not None and not isinstance(given, Mapping):
            raise InputError(f"optimise: bounds={given!r}; expected a lowest and a highest by name: {{'tau': (-1, 1)}}")
        chosen = dict(given or {})
        unknown_names = [name for name in chosen if name not in self.names]
        if unknown_names:
            raise InputError(f"optimise: bounds of {unknown_names[0]!r}, which is not among {', '.join(self.names)}")
        made: list[tuple[Any, Any]] = []
        for item in self.unknowns:
            made += zip(*limits(item, chosen.get(item.name, (None, None))), strict=True)
        return made
