"""Pinocchio from a C++ loop, compiled against the headers of its wheel."""

from __future__ import annotations

import ctypes
import importlib.metadata
import importlib.util
from pathlib import Path
from typing import Any

import numpy as np

from bench.models import Model
from bench.peers import coordinates, native, toolchain
from bench.peers.protocol import Array, Engine, Measured, States, main

SOURCE = Path(__file__).with_suffix(".cpp")
DEFINITIONS = (
    "-DBOOST_MPL_LIMIT_LIST_SIZE=30",
    "-DBOOST_MPL_LIMIT_VECTOR_SIZE=30",
    "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS",
    "-DBOOST_FUSION_INVOKE_MAX_ARITY=12",
)
"""What Pinocchio's own CMake target defines."""
KINDS = ("revolute", "prismatic", "free")
"""In the order of the C++ enumeration."""
FORWARD, FORWARD_WORLD, INVERSE, MASS, MASS_WORLD, MASS_COPY = range(6)


def build(model: Model, compiler: str) -> Engine:
    """Pinocchio's ABA, RNEA and CRBA for one model."""
    library, seconds = toolchain.build(SOURCE.read_text(encoding="utf-8"), compiler, flags(), cpp=True)
    robot = _Robot(toolchain.load(library), model)
    notes = {
        "version": importlib.metadata.version("pin"),
        "compiler": toolchain.version(compiler),
        "compile_seconds": seconds,
    }
    quantities = {"forward_dynamics": robot.forward, "inverse_dynamics": robot.inverse, "mass_matrix": robot.mass}
    return Engine(quantities, notes)


def flags() -> list[str]:
    """What the compiler is told: where the wheel's headers are, all optimisations, this machine's instructions."""
    spec = importlib.util.find_spec("pinocchio")
    if spec is None or spec.origin is None:
        raise SystemExit("pinocchio: the pin wheel is not installed")
    include = Path(spec.origin).parents[4] / "include"
    return [*DEFINITIONS, "-O3", "-march=native", "-std=c++17", f"-I{include}", f"-I{include / 'eigen3'}"]


def create(library: Any, model: Model) -> Any:
    """The C++ side's robot of a neutral model."""
    library.create.restype = ctypes.c_void_p
    arrays = _flat(model)  # named, so that they live until the call returns
    return library.create(len(model.bodies), *map(native.pointer, arrays))


class _Robot:
    """The compiled loop for one model, in neutral coordinates."""

    def __init__(self, library: Any, model: Model) -> None:
        self.library, self.nv, self.coordinates = library, model.nv, coordinates.pinocchio(model)
        self.context = create(library, model)

    def forward(self, states: States, seconds: float) -> Measured:
        """ABA: the faster of Pinocchio's two conventions counts."""
        answer, local = self._run(FORWARD, states, states.tau, self.nv, seconds)
        _, world = self._run(FORWARD_WORLD, states, states.tau, self.nv, seconds)
        return Measured(self.coordinates.a_back(states.q, states.v, answer), min(local, world))

    def inverse(self, states: States, seconds: float) -> Measured:
        """RNEA."""
        answer, best = self._run(INVERSE, states, states.a, self.nv, seconds)
        return Measured(self.coordinates.tau_back(states.q, answer), best)

    def mass(self, states: States, seconds: float) -> Measured:
        """CRBA, the faster convention; the time leaves the answer in Pinocchio's own matrix."""
        answer, _ = self._run(MASS_COPY, states, states.a, self.nv**2, 0.0)
        times = [self._run(what, states, states.a, 1, seconds)[1] for what in (MASS, MASS_WORLD)]
        return Measured(self.coordinates.mass_back(states.q, answer.reshape(-1, self.nv, self.nv)), min(times))

    def _run(self, what: int, states: States, u: Array, nout: int, seconds: float) -> tuple[Array, float]:
        q, v, u = (self.coordinates.q(states.q), *(self.coordinates.v(states.q, x) for x in (states.v, u)))
        return native.run(self.library, self.context, what, q, v, u, nout, seconds)


def _flat(model: Model) -> tuple[Array, Array, Array, Array]:
    """Kinds, parents, 32 numbers per body, gravity: what the C++ side builds its model from."""
    numbers = [
        np.concatenate([b.axis, np.ravel(b.placement), [b.mass], b.com, np.ravel(b.tensor)]) for b in model.bodies
    ]
    kind = np.array([KINDS.index(b.kind) for b in model.bodies], dtype=np.int32)
    parent = np.array([b.parent for b in model.bodies], dtype=np.int32)
    return kind, parent, np.array(numbers, dtype=float), np.array(model.gravity, dtype=float)


if __name__ == "__main__":
    main(build, compiler=toolchain.COMPILERS)
