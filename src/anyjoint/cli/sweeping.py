"""`anyjoint sweep`: many runs of a model, with distributions given on the command line."""

import ast
import csv
import time
import warnings
from collections.abc import Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from anyjoint.cli.output import UsageError, print_facts, print_json, status, warn
from anyjoint.cli.target import Target
from anyjoint.errors import AnyjointError, InputError
from anyjoint.frozen import frozen
from anyjoint.sweep import choice, grid, log_normal, normal, uniform

DISTRIBUTIONS: dict[str, Any] = {
    "uniform": uniform,
    "normal": normal,
    "log_normal": log_normal,
    "choice": choice,
    "grid": grid,
}
SHOWN = 8  # numbers of the summary


@frozen
class SweepOptions:
    """What the user asks of a sweep."""

    n: int | None
    measure: Sequence[str]
    seed: int
    design: str
    store: Path | None = None
    cluster: str | None = None
    plot: Path | None = None
    csv: Path | None = None


def split_settings(settings: Sequence[str]) -> tuple[dict[str, Any], dict[str, Any], list[str]]:
    """Distributions, fixed parameters of the model, and settings of the function that builds it."""
    space: dict[str, Any] = {}
    fixed: dict[str, Any] = {}
    others = []
    for setting in settings:
        name, equals, text = setting.partition("=")
        if not equals or not name:
            raise UsageError(f"--set {setting}: expected NAME=DISTRIBUTION, as in --set 'rod/mass=uniform(1,2)'")
        if name in space or name in fixed:
            raise UsageError(f"--set {setting}: {name} is set twice; keep one of them")
        made = distribution(setting, text)
        if made is not None:
            space[name] = made
        elif "/" in name or name == "gravity":
            fixed[name] = _literal(setting, text)
        else:
            others.append(setting)
    return space, fixed, others


def distribution(setting: str, text: str) -> Any:
    """The distribution that a text calls for; None if it is no call. Nothing of it is run: arguments are literals."""
    try:
        call = ast.parse(text.strip(), mode="eval").body
    except SyntaxError:
        return None
    if not isinstance(call, ast.Call):
        return None
    name = call.func.id if isinstance(call.func, ast.Name) else ast.unparse(call.func)
    if name.removeprefix("aj.") not in DISTRIBUTIONS:
        raise UsageError(f"--set {setting}: {name} is no distribution; choose one of {', '.join(DISTRIBUTIONS)}")
    try:
        given = [ast.literal_eval(argument) for argument in call.args]
        named = {word.arg or "": ast.literal_eval(word.value) for word in call.keywords}
    except ValueError:
        raise UsageError(f"--set {setting}: expected numbers or lists of them between the parentheses") from None
    try:
        return DISTRIBUTIONS[name.removeprefix("aj.")](*given, **named)
    except (InputError, TypeError, ValueError) as error:
        raise UsageError(f"--set {setting}: {error}") from error


def _literal(setting: str, text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        raise UsageError(
            f"--set {setting}: expected a number, a list, or a distribution such as uniform(1,2)"
        ) from None


def show(target: Target, space: Mapping[str, Any], fixed: Mapping[str, Any], plan: SweepOptions,
         options: Mapping[str, Any], as_json: bool) -> None:  # fmt: skip
    """Sweep a target and print a summary."""
    from anyjoint.sweep import sweep

    if not space:
        raise UsageError("nothing varies; give at least one distribution, --set 'rod/mass=uniform(1,2)'")
    _check(plan)
    with status(f"compiling {target.name}", quiet=as_json):
        model = target.mechanism.compile()
        with warnings.catch_warnings():  # that a number which was exactly 1 is another one now
            warnings.simplefilter("ignore")
            model.parameters.set(dict(fixed))
        q0, v0 = target.start(model)
    chosen: dict[str, Any] = {"duration": target.duration, "dt": target.dt, "method": target.method} | {
        name: value for name, value in options.items() if value is not None
    }
    measure = list(plan.measure) or ["final"]
    began = time.perf_counter()
    with cluster(plan.cluster) as executor:
        result = sweep(
            model, dict(space), plan.n, measure=measure, seed=plan.seed, design=plan.design, store=plan.store,
            executor=executor, q0=q0, v0=v0, progress=None if not as_json else False, **chosen,
        )  # fmt: skip
    seconds = time.perf_counter() - began
    files = _write(result, plan)
    facts = _facts(result, seconds) | chosen | files
    if as_json:
        print_json(facts)
    else:
        print_facts(target.name, _for_people(result, facts))
    for number, reason in list(result.failures.items())[:3]:
        warn(f"run {number}: {reason}")
    if not result.complete:
        warn("interrupted" + ("; the same command goes on from the store" if plan.store else ""))
        raise SystemExit(1)


@contextmanager
def cluster(address: str | None) -> Any:
    """A client of a Dask cluster, or None for this machine alone."""
    if address is None:
        yield None
        return
    try:
        from distributed import Client
    except ImportError:
        raise AnyjointError("--cluster needs Dask; run: pip install 'anyjoint[cluster]'") from None
    try:
        client: Any = Client(address, timeout="10s")  # type: ignore[no-untyped-call, unused-ignore]
    except (OSError, ValueError, TimeoutError) as error:
        raise AnyjointError(
            f"--cluster {address}: no scheduler answers there ({error}); start one: dask scheduler"
        ) from error
    try:
        yield client
    finally:
        client.close()


def _check(plan: SweepOptions) -> None:
    """Refuse before the runs what could not be written after them."""
    for option, path, wanted in (("plot", plan.plot, (".png", ".svg", ".pdf")), ("csv", plan.csv, (".csv",))):
        if path is not None and not path.parent.is_dir():
            raise AnyjointError(f"--{option} {path}: there is no folder {path.parent}; make it, or choose another")
        if path is not None and path.suffix.lower() not in wanted:
            raise UsageError(f"--{option} {path}: give a file that ends in {' or '.join(wanted)}")


def _write(result: Any, plan: SweepOptions) -> dict[str, str]:
    """Write the files asked for; name them in the summary."""
    if plan.csv is not None:
        try:
            _write_csv(result, plan.csv)
        except OSError as error:
            raise AnyjointError(f"cannot write {plan.csv}: {error.strerror or error}; choose another place") from error
    if plan.plot is not None:
        result.plot(plan.plot)
    written = {"store": plan.store, "csv": plan.csv, "plot": plan.plot}
    return {name: str(path) for name, path in written.items() if path is not None}


def _write_csv(result: Any, path: Path) -> None:
    """A row of names, then a row for each run; numbers can be read back exactly."""
    names, table = result.table()
    with path.open("w", encoding="utf8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["run", *names, "status"])
        for k, (row, said) in enumerate(zip(table, result.status, strict=True)):
            writer.writerow([k, *(repr(float(x)) for x in row), said])


def _facts(result: Any, seconds: float) -> dict[str, Any]:
    of = result.statistics
    columns = {
        name: {"mean": m.mean, "std": m.std, "min": m.min, "max": m.max, "labels": result.labels[name]}
        for name, m in of.columns.items()
    }
    return {"runs": of.runs, "failed": of.failed, "complete": result.complete, "seconds": seconds,
            "runs_per_second": of.runs / seconds if seconds > 0 else 0.0, "columns": columns}  # fmt: skip


def _for_people(result: Any, facts: Mapping[str, Any]) -> dict[str, object]:
    """The same facts in words."""
    rows: dict[str, object] = {
        "runs": f"{facts['runs']:,} of {result.n:,}, {facts['failed']:,} failed",
        "each": f"{facts['duration']:g} s by {facts['method']}, steps of {facts['dt']:g} s",
        "speed": f"{facts['runs_per_second']:,.0f} runs per second",
    }
    shown = 0
    for of in facts["columns"].values():
        numbers = zip(of["labels"], *(of[what].ravel() for what in ("mean", "std", "min", "max")), strict=True)
        for label, mean, std, low, high in numbers:
            if shown < SHOWN:
                rows[label] = f"{mean:.5g} +- {std:.3g}, from {low:.5g} to {high:.5g}"
            shown += 1
    if shown > SHOWN:
        rows["..."] = f"{shown - SHOWN} more; --csv writes all"
    return rows | {name: facts[name] for name in ("store", "csv", "plot") if name in facts}
