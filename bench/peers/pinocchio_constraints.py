"""Pinocchio's constrained forward dynamics from a C++ loop: constraintDynamics, constrainedABA and LCABA."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

import numpy as np

from bench.constrained_models import Case
from bench.peers import coordinates, native, toolchain
from bench.peers.constrained_protocol import Measured, main
from bench.peers.pinocchio_cpp import SOURCE, create, flags

MORE = Path(__file__).with_suffix(".cpp")
VARIANTS = ("constraintDynamics", "constrainedABA", "LCABA")
# Proximal settings (mu, iterations) that the sparse variants are tried with; who reads the times chooses by accuracy.
SPARSE = tuple((mu, count) for mu in (1e-5, 1e-6, 1e-8) for count in (1, 2, 4))
INDEPENDENT, REDUNDANT = (0.0, 1), (1e-8, 3)  # of the dense one, which needs none where rows are independent


def measure(case: Case, seconds: float, compiler: str) -> dict[str, Measured]:
    """Answers and best nanoseconds per state of every variant that knows the case, by its settings."""
    source = SOURCE.read_text(encoding="utf-8") + MORE.read_text(encoding="utf-8")
    library = toolchain.load(toolchain.build(source, compiler, flags(), cpp=True)[0])
    robot = create(library, case.model)
    library.run_constrained.restype = ctypes.c_double
    neutral = coordinates.pinocchio(case.model)
    state = neutral.q(case.q), neutral.v(case.q, case.v), neutral.v(case.q, case.tau)
    on_ground = all(row.second < 0 for row in case.held)
    found = {}
    for what, name in enumerate(VARIANTS):
        if name == "constrainedABA" and not on_ground:
            continue
        for mu, count in SPARSE if what else [INDEPENDENT if on_ground else REDUNDANT]:
            held = _held(library, robot, case, mu, count)
            answer, best = native.run(library, held, what, *state, case.model.nv, seconds, "run_constrained")
            found[f"{name} mu={mu:g} x{count}"] = Measured(neutral.a_back(case.q, case.v, answer), best)
    return found


def _held(library: Any, robot: Any, case: Case, mu: float, iterations: int) -> Any:
    ends = [np.array([getattr(row, name) for row in case.held], dtype=np.int32) for name in ("rows", "first", "second")]
    poses = np.ascontiguousarray([row.poses for row in case.held], dtype=float)
    library.constrain.restype = ctypes.c_void_p
    pointers = [native.pointer(x) for x in (*ends, poses)]
    settings = ctypes.c_double(mu), iterations
    return library.constrain(ctypes.c_void_p(robot), len(case.held), *pointers, *settings, *settings)  # sparse, dense


if __name__ == "__main__":
    main(measure, compiler=toolchain.COMPILERS)
