"""The engines that a run compares, and how to start each."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]
ROOT = Path(__file__).parents[1]
SLOW_TO_COMPILE = ("RC50", "RC100")
"""CasADi's straight-line C takes minutes to compile here: only with --full."""


@dataclass(frozen=True)
class Engine:
    """One engine in one build: a module that speaks `bench.peers.protocol`."""

    key: str
    label: str
    module: str
    arguments: tuple[str, ...] = ()
    language: str = "C"

    @property
    def ours(self) -> bool:
        """Whether this is anyjoint itself."""
        return self.module == "bench.ours"


OURS = Engine("anyjoint", "anyjoint", "bench.ours", language="kernel")
PEERS = (
    Engine("pinocchio-clang", "Pinocchio C++ (clang)", "bench.peers.pinocchio_cpp", ("--compiler", "clang")),
    Engine("pinocchio-gcc", "Pinocchio C++ (g++)", "bench.peers.pinocchio_cpp", ("--compiler", "gcc")),
    Engine("casadi-clang", "CasADi C (clang)", "bench.peers.casadi_c", ("--compiler", "clang")),
    Engine("casadi-gcc", "CasADi C (gcc)", "bench.peers.casadi_c", ("--compiler", "gcc")),
    Engine("mujoco-c", "MuJoCo C", "bench.peers.mujoco_c"),
    Engine("pinocchio-python", "Pinocchio, Python", "bench.peers.pinocchio_python", language="Python"),
    Engine("mujoco-python", "MuJoCo, Python", "bench.peers.mujoco_python", language="Python"),
    Engine("drake-python", "Drake, Python", "bench.peers.drake_python", language="Python"),
)


@dataclass(frozen=True)
class Outcome:
    """What came back from one process: answers and a report, or why there are none."""

    answers: dict[str, Array]
    report: dict[str, Any]
    failure: str = ""


def peers_python() -> Path:
    """The interpreter that has the peers: ANYJOINT_BENCH_PYTHON, or .venv-bench, or this one."""
    chosen = os.environ.get("ANYJOINT_BENCH_PYTHON")
    candidates = [Path(chosen)] if chosen else [ROOT / ".venv-bench" / "bin" / "python"]
    return next((path for path in candidates if path.exists()), Path(sys.executable))


def run(engine: Engine, model: Path, states: Path, result: Path, seconds: float, core: int | None) -> Outcome:
    """Start an engine in a process of its own, on one core, and read what it wrote."""
    python = sys.executable if engine.ours else str(peers_python())
    arguments = [str(model), str(states), str(result), "--seconds", str(seconds), *engine.arguments]
    result.unlink(missing_ok=True)
    done = call([python, "-m", engine.module, *arguments], core)
    if done.returncode or not result.exists():
        lines = (done.stderr or done.stdout).strip().splitlines()
        return Outcome({}, {}, lines[-1] if lines else f"ended with status {done.returncode}")
    with np.load(result) as file:
        answers = {name: file[name] for name in file.files if name != "report"}
        return Outcome(answers, json.loads(str(file["report"])))


def call(command: list[str], core: int | None) -> subprocess.CompletedProcess[str]:
    """Run a command from the project's root, pinned to a core where the system can."""
    return subprocess.run(command, capture_output=True, text=True, check=False, **_surroundings(core))


def started(command: list[str], core: int | None) -> subprocess.Popen[str]:
    """Start a command the same way, to be talked to by lines."""
    return subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, **_surroundings(core)
    )


def _surroundings(core: int | None) -> dict[str, Any]:
    """Folder, environment and core of a process."""
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join([str(ROOT), str(ROOT / "src")]))
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        environment[name] = "1"
    pin = None
    if core is not None and hasattr(os, "sched_setaffinity"):

        def pin() -> None:
            os.sched_setaffinity(0, {core})

    return {"cwd": ROOT, "env": environment, "preexec_fn": pin}
