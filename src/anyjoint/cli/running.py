"""`anyjoint run`: compile, simulate, write what was asked for, and print a summary."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from anyjoint.cli.output import UsageError, print_facts, print_json, progress, status, warn
from anyjoint.cli.target import Target
from anyjoint.errors import AnyjointError
from anyjoint.frozen import frozen

if TYPE_CHECKING:
    from anyjoint.model import Model
    from anyjoint.simulate import Trajectory


@frozen
class Outputs:
    """Files that the user wants from a run."""

    html: Path | None = None
    plot: Path | None = None
    save: Path | None = None


def show(
    target: Target, duration: float | None, dt: float | None, method: str | None, outputs: Outputs, as_json: bool
) -> None:
    """Run a target and print its summary; exit with 1 when the run did not finish."""
    _check(outputs)
    chosen: dict[str, Any] = {
        "duration": target.duration if duration is None else duration,
        "dt": target.dt if dt is None else dt,
        "method": method or target.method,
    }
    with status(f"compiling {target.name}", quiet=as_json):
        began = time.perf_counter()
        model = target.mechanism.compile()
        start, acting = target.start(model), target.acting
        if drives := getattr(getattr(target.mechanism, "source", None), "actuators", None):
            what = f"{len(drives)} drives and muscles of the file have no controls here, and do not act"
            warn(f"{what}; give them some in Python: model.simulate(forces=...)")
        # One step, so that the stepper is compiled too and the speed below is that of stepping alone.
        short = chosen | {"duration": max(0.0, min(chosen["duration"], chosen["dt"]))}
        model.simulate(*start, **short, forces=acting)
        compiled = time.perf_counter() - began
    with progress(f"simulating {chosen['duration']:g} s of {target.name}", quiet=as_json) as advance:
        began = time.perf_counter()
        trajectory = model.simulate(*start, **chosen, forces=acting, progress=advance)
        simulated = time.perf_counter() - began
    files = _write(trajectory, outputs, as_json)
    facts = chosen | _facts(target, model, trajectory) | _speed(trajectory, compiled, simulated) | files
    if as_json:
        print_json(facts)
    else:
        print_facts(target.name, _for_people(facts))
    if not facts["finished"]:
        raise typer.Exit(1)


def _check(outputs: Outputs) -> None:
    """Refuse before the run what could not be written after it."""
    for option, path in vars(outputs).items():
        if path is not None and not path.parent.is_dir():
            raise AnyjointError(f"--{option} {path}: there is no folder {path.parent}; make it, or choose another")
        if path is not None and path.suffix.lower() not in SUFFIXES[option]:
            *most, last = SUFFIXES[option]
            wanted = f"{', '.join(most)} or {last}" if most else last
            raise UsageError(f"--{option} {path}: give a file that ends in {wanted}")


SUFFIXES = {"html": (".html", ".htm"), "plot": (".png", ".svg", ".pdf"), "save": (".npz", ".csv")}


def _facts(target: Target, model: Model, trajectory: Trajectory) -> dict[str, Any]:
    return {
        "model": target.name,
        "bodies": model.nb,
        "coordinates": model.nq,
        "method": trajectory.method,  # which "auto" has chosen
        "operations": int(model.op_count("forward_dynamics").total),
        "status": str(trajectory.status),
        "finished": bool(trajectory.status.ok),
        "energy_balance": trajectory.balance_error(),
    }


def _speed(trajectory: Trajectory, compiled: float, simulated: float) -> dict[str, Any]:
    steps = int(trajectory.steps)
    return {
        "compile_seconds": compiled,
        "simulate_seconds": simulated,
        "steps": steps,
        "steps_per_second": steps / simulated if simulated > 0 else 0.0,
    }


def _write(trajectory: Trajectory, outputs: Outputs, quiet: bool) -> dict[str, str]:
    """Write the files asked for; name them in the summary."""
    writers: dict[str, Callable[[str], object]]
    writers = {"html": trajectory.to_html, "plot": trajectory.plot, "save": trajectory.save}
    written = {}
    for kind, write in writers.items():
        path = getattr(outputs, kind)
        if path is not None:
            with status(f"writing {path}", quiet=quiet):
                write(str(path))
            written[kind] = str(path)
    return written


def _for_people(facts: dict[str, Any]) -> dict[str, object]:
    """The same facts in words and units."""
    rows: dict[str, object] = {
        "bodies": facts["bodies"],
        "coordinates": facts["coordinates"],
        "operations": f"{facts['operations']:,} per forward dynamics",
        "compile time": f"{facts['compile_seconds']:.3f} s",
        "simulated": f"{facts['duration']:g} s by {facts['method']}, {facts['steps']:,} steps of {facts['dt']:g} s",
        "speed": f"{facts['steps_per_second']:,.0f} steps per second",
        "energy balance": _balance(facts["energy_balance"], facts["method"]),
        "status": facts["status"],
    }
    titles = {"html": "page", "plot": "plot", "save": "trajectory"}
    return rows | {title: facts[kind] for kind, title in titles.items() if kind in facts}


def _balance(off: float, method: str) -> str:
    """What is out of balance; contacts, stops and dry friction take energy that is not counted."""
    from anyjoint.stepper import resists

    if resists(method):
        return f"{off:.1e} of the energy exchanged went to contacts, friction and steps"
    return f"off by {off:.1e} of the energy exchanged (damping and inputs counted)"
