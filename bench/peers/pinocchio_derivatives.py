"""Pinocchio's derivatives of inverse and forward dynamics from a C++ loop."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Callable
from pathlib import Path

import numpy as np

from bench.models import Model
from bench.peers import coordinates, native, toolchain
from bench.peers.pinocchio_cpp import SOURCE, create, flags
from bench.peers.protocol import Array, Engine, Measured, States, main

MORE = Path(__file__).with_suffix(".cpp")
QUANTITIES = {"inverse_dynamics_derivatives": "a", "forward_dynamics_derivatives": "tau"}
BATCH, MEMORY = 256, 2 << 20  # states of a batch, and bytes of its answers: more would only measure memory


def batch_states(nv: int) -> int:
    """How many states a batch has."""
    return min(BATCH, MEMORY // (24 * nv**2))


def build(model: Model, compiler: str) -> Engine:
    """computeRNEADerivatives and computeABADerivatives for one model."""
    source = SOURCE.read_text(encoding="utf-8") + MORE.read_text(encoding="utf-8")
    path, seconds = toolchain.build(source, compiler, flags(), cpp=True)
    library = toolchain.load(path)
    robot, neutral, n = create(library, model), coordinates.pinocchio(model), model.nv

    def measured(what: int, third: str) -> Callable[[States, float], Measured]:
        def run(states: States, seconds: float) -> Measured:
            given = neutral.v(states.q, getattr(states, third))
            state = neutral.q(states.q), neutral.v(states.q, states.v), given
            answer, _ = native.run(library, robot, what + 2, *state, 3 * n * n, 0.0, "run_derivatives")
            _, best = native.run(library, robot, what, *state, 1, seconds, "run_derivatives")
            return Measured(_back(neutral, states.q, answer.reshape(-1, 3, n, n)), best)

        return run

    def batches(states: States, seconds: float) -> dict[str, dict[str, float]]:
        """Best times where the answers of all states of a batch are written to its rows."""
        q, v = neutral.q(states.q), neutral.v(states.q, states.v)
        times = {}
        for what, (name, third) in enumerate(QUANTITIES.items()):
            rows = (q, v, neutral.v(states.q, getattr(states, third)))
            many = [np.resize(x, (batch_states(n), x.shape[1])) for x in rows]
            _, times[name] = native.run(library, robot, what + 4, *many, 3 * n * n, seconds, "run_derivatives")
        return {"batches": times}

    notes = {"version": importlib.metadata.version("pin"), "compiler": toolchain.version(compiler)}
    quantities = {name: measured(what, third) for what, (name, third) in enumerate(QUANTITIES.items())}
    return Engine(quantities, {**notes, "compile_seconds": seconds}, batches)


def _back(neutral: coordinates.Coordinates, q: Array, matrices: Array) -> Array:
    """Rows and columns in the neutral order, flat."""
    made = [neutral.mass_back(q, matrices[:, k]) for k in range(3)]
    return np.stack(made, axis=1).reshape(len(q), -1)


if __name__ == "__main__":
    main(build, compiler=toolchain.COMPILERS)
