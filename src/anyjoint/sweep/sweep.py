"""sweep: the same mechanism many times over, with other parameters, initial states and inputs."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from anyjoint.errors import AnyjointError, InputError
from anyjoint.options import named_options
from anyjoint.scalar.array import ArrayLike
from anyjoint.simulate.choose import AUTO, EXPLICIT, chosen
from anyjoint.simulate.guard import guard_of
from anyjoint.simulate.request import Request, make_request
from anyjoint.spatial import Pose

from .executor import check_executor, results
from .job import PAIR, Job, Rows, thinning
from .keeper import SAMPLE, Keeper
from .measure import EnergyDrift, Final, make_measures
from .progress import RunProgress
from .result import SweepResult
from .space import Drawn, Space
from .store import open_store

if TYPE_CHECKING:
    from anyjoint.forces import Force
    from anyjoint.model import Model
    from anyjoint.simulate.drive import Torques
    from anyjoint.simulate.progress import Telling
    from anyjoint.simulate.stabilise import Stabilise

BYTES = 8 << 20  # of samples that a chunk may hold in memory; more is no faster
MOST = 1024  # runs of a chunk; more were no faster
FEWEST, PARTS = 16, 64  # runs that are worth a chunk, and chunks that keep many workers busy to the end
TRIED = 64  # runs, spread over the sweep, that are tried before giving up


@named_options
def sweep(
    model: Model, space: Any, n: int | None = None, *, measure: Any = "final", seed: int = 0, design: str = "random",
    duration: float = 10.0, dt: float = 1e-3, method: str = "rk4", executor: Any = None, store: Any = None,
    rows: bool = True, q0: ArrayLike | None = None, v0: ArrayLike | None = None, tau: Torques = None,
    forces: Sequence[Force] = (), rtol: float = 1e-8, atol: float = 1e-10, limits: bool = True,
    stabilise: Stabilise = "project", save_every: int | None = None, progress: Telling = None,
) -> SweepResult:  # fmt: skip
    """Simulate a model n times, and keep what `measure` makes of each run.

    `space` says what varies: names of parameters ("rod/mass"), "q0", "v0", "tau" or their entries ("q0/rod/angle"),
    each with a distribution (`aj.uniform`, `aj.normal`, `aj.log_normal`, `aj.choice`), an `aj.grid`, or a list with one
    value for each run; a tuple of names stands for a correlated group. The `design` is "random", "latin-hypercube" or
    "sobol". What run i gets depends on `seed` and i alone (and on n in a Latin hypercube).

    `measure` is "final", "extremes", "energy_drift", "trajectory" or ("trajectory", samples), an `aj.Event` (when it
    happens first), a function of a run's trajectory, or a list or mapping of those. A run that fails is a row of NaN
    with a reason. With `rows=False` only statistics are kept.

    Runs go side by side through SIMD lanes and threads; `executor` is any executor of concurrent.futures or a client of
    Dask distributed instead. `store` is a folder, or "run.zarr", that keeps every chunk: a rerun goes on where it
    stopped. Ctrl-C keeps what is done. The rest are options of `model.simulate`.

    >>> result = aj.sweep(model, {"bob/mass": aj.uniform(1, 2)}, n=8, duration=0.1, measure="energy_drift")
    >>> bool(result.ok.all()), result.values.shape
    (True, (8,))
    """
    options = {"duration": duration, "dt": dt, "method": method, "rtol": rtol, "atol": atol, "forces": forces,
               "limits": limits, "stabilise": stabilise}  # fmt: skip
    check_executor(executor)
    request = _checked(model, q0, v0, tau, save_every, options)
    if method == AUTO:  # by the model as it is, so that all runs are alike
        options["method"], _ = chosen(request)
    drawn = Space(model, space, n, design, seed, limits)
    measures = make_measures(measure)
    _check_tau(drawn, request)
    every = save_every or thinning(measures, request.duration, request.dt)
    options["save_every"] = every
    drive = request.drive
    pushed = tau if drive.times is None else (drive.times, drive.values)  # samples over time serve all runs
    job = Job(model, drawn.targets, (request.q[0], request.v[0], pushed), options, measures)
    job, tried, found = _tried(job, drawn)
    _check_names(job, drawn)
    size = chunk_size(request, every, drawn.n)
    opened = None
    if store is not None:
        opened = open_store(store, _manifest(job, drawn, design, seed, size, _probe(job, tried, found)))
    keeper = Keeper(drawn, job.shapes, size, opened, rows)
    bar = RunProgress(progress, f"sweeping {model.mechanism.name}", drawn.n)
    try:
        _run(job, drawn, size, keeper, executor, bar.show)
    except KeyboardInterrupt:
        pass  # the result says that it is not complete
    finally:
        bar.close()
    return SweepResult(job, drawn, keeper)


def _run(job: Job, space: Space, size: int, keeper: Keeper, executor: object, show: Callable[[float], None]) -> None:
    """Run the chunks that the store does not have."""

    def missing() -> Iterator[tuple[int, Drawn]]:
        for number in range(-(-space.n // size)):
            if not keeper.recalled(number):
                yield number, space.draw(number * size, min((number + 1) * size, space.n))

    with closing(results(job, missing(), executor, space.draw(0, min(PAIR, space.n)))) as found:
        for number, rows in found:
            keeper.take(number, rows)
            show(keeper.done / space.n)


# -- checks -------------------------------------------------------------------------------------------------------


def _checked(
    model: Model, q0: ArrayLike | None, v0: ArrayLike | None, tau: Torques, save_every: Any, options: dict[str, Any]
) -> Request:
    """Refuse what no run could take; where runs begin is looked at run by run."""
    if not hasattr(model, "parameter_rows"):
        raise InputError(f"sweep: {type(model).__name__} is no model; compile a mechanism first, mech.compile()")
    if callable(tau):
        raise InputError("sweep: tau is a function, which drives one run; give numbers, samples over time, or forces")
    if model.modes:
        names = ", ".join(map(repr, model.modes))
        raise InputError(
            f"sweep: contacts of {names} open and close, which only simulate follows; loop over model.parameters.set "
            "and model.simulate"
        )
    if model.numeric:
        raise InputError(f"sweep: {model.numeric} solves numerically; compile with another algorithm")
    o = options
    if not isinstance(o["limits"], bool):
        raise InputError(f"limits={o['limits']!r}; expected True or False")
    request = make_request(
        model, q0, v0, o["duration"], o["dt"], EXPLICIT if o["method"] == AUTO else o["method"], o["rtol"], o["atol"],
        tau, o["forces"], (), save_every, 1, False, None, o["stabilise"],
    )  # fmt: skip
    if not request.single:
        raise InputError("sweep: q0 and v0 are those of all runs, one row each; give many under 'q0' in the space")
    return request


def _check_tau(space: Space, request: Request) -> None:
    varied = [name for name, target in space.targets.items() if target.state == "tau"]
    if varied and request.drive.times is not None:
        raise InputError(f"sweep: {varied[0]!r} is varied, so tau must be constant; give one number per velocity")


def _check_names(job: Job, space: Space) -> None:
    """Refuse columns that a table could not tell from what stands beside them."""
    for column in job.shapes:
        if column in (*space.names, "status", "run"):
            whose = "of what varies" if column in space.names else "of another column of tables"
            raise InputError(f"measure: {column!r} is the name {whose}; give another, {{'name': measure}}")


def _tried(job: Job, space: Space) -> tuple[Job, Drawn, Rows]:
    """The job with the shapes of its columns, the runs that were tried for it, and what they gave."""
    first = space.draw(0, min(PAIR, space.n))
    ready, rows = job.prepared(first)
    if ready.measurable:
        return ready, first, rows
    spread = np.unique(np.linspace(0, space.n - 1, min(TRIED, space.n)).astype(int))
    parts = [space.draw(k, k + 1) for k in spread]
    drawn = {name: _joined([part[name] for part in parts]) for name in first}
    ready, tried = job.prepared(drawn)
    if not ready.measurable:
        complaints = [reason for reason in tried.reasons.values() if reason.startswith("measure ")]
        if complaints:
            raise InputError(f"{complaints[0]}; try it on a run of its own, measure(model.simulate(...))")
        if space.n > TRIED:
            reason = next(iter(rows.reasons.values()), "")
            raise AnyjointError(f"sweep: none of {TRIED} runs all over it comes to its end. The first says: {reason}")
        ready = replace(ready, shapes={measure.name: () for measure in job.measures})
    return ready, drawn, tried


def _joined(parts: Sequence[Any]) -> Any:
    return [x for part in parts for x in part] if isinstance(parts[0], list) else np.concatenate(parts)


def chunk_size(request: Request, every: int, n: int) -> int:
    """Runs of a chunk: a matter of the model and of n alone, so that results do not depend on who runs them."""
    steps = max(1, request.steps)
    samples = steps if guard_of(request.model) else -(-steps // every)
    bytes_each = (samples + 1) * (request.model.nq + request.model.nv + 1) * 8
    most = min(MOST, BYTES // bytes_each)
    if most < FEWEST:  # long runs of large mechanisms
        return max(PAIR, most)
    wanted = -(-n // (PARTS * FEWEST)) * FEWEST
    return min(most // FEWEST * FEWEST, wanted)


# -- what a store remembers -----------------------------------------------------------------------------------------


def _probe(job: Job, drawn: Drawn, rows: Rows) -> dict[str, object]:
    """What some runs give, beside where they end; drifts of energy are rounding errors, and say nothing."""
    noise = {measure.name for measure in job.measures if isinstance(measure, EnergyDrift)}
    ends = replace(job, measures=(Final(f"{SAMPLE}end"),), shapes={}).run(drawn)
    columns = {name: column for name, column in rows.columns.items() if name not in noise} | ends.columns
    return {name: column.tolist() for name, column in columns.items()}


def _manifest(job: Job, space: Space, design: str, seed: int, size: int, probe: dict[str, object]) -> dict[str, object]:
    """What makes a sweep this one. User's functions cannot be compared, so what some runs give is."""
    options = {name: value for name, value in job.options.items() if name != "forces"}
    q0, v0, tau = job.start
    return {
        "model": model_text(job.model),
        "n": space.n,
        "seed": int(seed),
        "design": design,
        "space": [variable.text for variable in space.variables],
        "options": repr(sorted(options.items())),
        "start": [q0.tolist(), v0.tolist(), repr(tau)],
        "measure": [measure.name for measure in job.measures],
        "chunk": size,
        "columns": {**_sample_shapes(space), **{name: list(shape) for name, shape in job.shapes.items()}},
        "probe": probe,
    }


def _sample_shapes(space: Space) -> dict[str, list[int]]:
    poses = [4, 4]
    return {
        f"{SAMPLE}{name}": poses if target.shape is None else list(target.shape)
        for name, target in space.targets.items()
    }


def model_text(model: Model) -> str:
    """A digest of a model's bodies, joints and numbers, the same in every process."""
    digest = hashlib.sha256(f"{model.mechanism.name} {model.algorithm} {model.dtype}".encode())
    for body in model.mechanism.bodies:
        digest.update(f"{body.name} {type(body.joint).__qualname__} {body.coordinate_names}".encode())
    for name, value in model.parameters.items():
        numbers = np.asarray(value.matrix if isinstance(value, Pose) else value, dtype=float)
        digest.update(name.encode() + numbers.tobytes())
    return digest.hexdigest()
