"""`anyjoint bench`: what the dynamics of some models cost on this machine."""

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from anyjoint.cli.output import UsageError, print_json, print_table, status
from anyjoint.cli.target import is_file, resolve

DEFAULT = ("double-pendulum", "torus-chain", "windmill")
COLUMNS = {
    "model": "model",
    "coordinates": "coordinates",
    "operations": "operations",
    "compile_seconds": "compile, s",
    "one_ns": "one state from Python, ns",
    "batch_ns": "per state in a batch, ns",
}


def show(models: Sequence[str], batch: int, as_json: bool, options: Mapping[str, Any]) -> None:
    """Measure forward dynamics of each model and print a table."""
    rows = []
    for name in models or _available():
        with status(f"measuring {name}", quiet=as_json):
            rows.append(measure(name, batch, options))
    if as_json:
        print_json({"batch": batch, "quantity": "forward_dynamics", "models": rows})
    else:
        title = f"Forward dynamics, one core, batches of {batch:,} states"
        print_table(title, list(COLUMNS.values()), [[row[key] for key in COLUMNS] for row in rows])


def measure(name: str, batch: int, options: Mapping[str, Any]) -> dict[str, Any]:
    """Compile one model and time it, on random states near its start."""
    import numpy as np

    target = resolve(name, options={**options, "meshes": "skip"} if is_file(name) else options)
    began = time.perf_counter()
    model = target.mechanism.compile()
    compiled = time.perf_counter() - began
    random = np.random.default_rng(1)
    q0, v0 = target.start(model)
    # States differ a little, so that no branch predictor learns one by heart; quaternions keep their length.
    q = np.tile(q0, (batch, 1))
    if model.rates_are_velocities:
        q += 1e-3 * random.standard_normal(q.shape)
    v = v0 + 1e-3 * random.standard_normal((batch, model.nv))
    tau = np.zeros((batch, model.nv))
    return {
        "model": Path(name).name if is_file(name) else name,
        "coordinates": model.nv,
        "operations": int(model.op_count("forward_dynamics").total),
        "compile_seconds": compiled,
        "one_ns": round(1e9 * _fastest(lambda: model.forward_dynamics(q[0], v[0], tau[0]))),
        "batch_ns": round(1e9 * _fastest(lambda: model.forward_dynamics(q, v, tau)) / batch),
    }


def _fastest(call: Callable[[], object], seconds: float = 0.3) -> float:
    """Smallest time of one call: other programs only ever add to it."""
    call()
    best, end = float("inf"), time.perf_counter() + seconds
    while (began := time.perf_counter()) < end:
        call()
        best = min(best, time.perf_counter() - began)
    return best


def _available() -> list[str]:
    from anyjoint.cli import gallery

    known = gallery.names()
    chosen = [name for name in DEFAULT if name in known] or known[:3]
    if not chosen:
        raise UsageError("the gallery is empty; name a model, as in: anyjoint bench robot.py:build")
    return chosen
