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
# Proximal settings (mu, iterations) of the sparse variants and of the dense one. Where rows are independent the latter
# needs none; where they are redundant, LCABA is most accurate with 1e-5.
INDEPENDENT, REDUNDANT = ((1e-8, 4), (0.0, 1)), ((1e-5, 4), (1e-8, 3))


def measure(case: Case, seconds: float, compiler: str) -> dict[str, Measured]:
    """Answers and best nanoseconds per state of every variant that knows the case."""
    source = SOURCE.read_text(encoding="utf-8") + MORE.read_text(encoding="utf-8")
    library = toolchain.load(toolchain.build(source, compiler, flags(), cpp=True)[0])
    held = _held(library, create(library, case.model), case)
    library.run_constrained.restype = ctypes.c_double
    neutral = coordinates.pinocchio(case.model)
    q, v, tau = neutral.q(case.q), neutral.v(case.q, case.v), neutral.v(case.q, case.tau)
    on_ground = all(row.second < 0 for row in case.held)
    found = {}
    for what, name in enumerate(VARIANTS):
        if name == "constrainedABA" and not on_ground:
            continue
        answer, best = native.run(library, held, what, q, v, tau, case.model.nv, seconds, "run_constrained")
        found[name] = Measured(neutral.a_back(case.q, case.v, answer), best)
    return found


def _held(library: Any, robot: Any, case: Case) -> Any:
    ends = [np.array([getattr(row, name) for row in case.held], dtype=np.int32) for name in ("rows", "first", "second")]
    poses = np.ascontiguousarray([row.poses for row in case.held], dtype=float)
    sparse, dense = INDEPENDENT if all(row.second < 0 for row in case.held) else REDUNDANT
    library.constrain.restype = ctypes.c_void_p
    pointers = [native.pointer(x) for x in (*ends, poses)]
    numbers = [ctypes.c_double(sparse[0]), sparse[1], ctypes.c_double(dense[0]), dense[1]]
    return library.constrain(ctypes.c_void_p(robot), len(case.held), *pointers, *numbers)


if __name__ == "__main__":
    main(measure, compiler=toolchain.COMPILERS)
