"""MuJoCo's C library from a C loop; headers and library come from its wheel."""

from __future__ import annotations

import ctypes
import importlib.metadata
import importlib.util
import tempfile
from pathlib import Path
from typing import Any

from bench.models import Model
from bench.peers import coordinates, mjcf, native, toolchain
from bench.peers.protocol import Array, Engine, Measured, States, main

SOURCE = Path(__file__).with_suffix(".c")
FORWARD, INVERSE, MASS, MASS_COPY = range(4)


def build(model: Model) -> Engine:
    """MuJoCo's stages from kinematics to solve, for one model."""
    spec = importlib.util.find_spec("mujoco")
    if spec is None or spec.origin is None:
        raise SystemExit("mujoco: the wheel is not installed")
    root = Path(spec.origin).parent
    engine = next(root.glob("libmujoco.so*"))
    flags = ["-O3", "-march=native", f"-I{root / 'include'}", "-Wl,--no-as-needed", str(engine), f"-Wl,-rpath,{root}"]
    library, _ = toolchain.build(SOURCE.read_text(encoding="utf-8"), "gcc", flags)
    robot = _Robot(toolchain.load(library), model)
    quantities = {"forward_dynamics": robot.forward, "inverse_dynamics": robot.inverse, "mass_matrix": robot.mass}
    return Engine(quantities, {"version": importlib.metadata.version("mujoco"), "compiler": "as shipped in the wheel"})


class _Robot:
    """The compiled loop for one model, in neutral coordinates."""

    def __init__(self, library: Any, model: Model) -> None:
        self.library, self.nv, self.coordinates = library, model.nv, coordinates.mujoco(model)
        library.create.restype = ctypes.c_void_p
        with tempfile.NamedTemporaryFile("w", suffix=".xml") as file:
            file.write(mjcf.text(model))
            file.flush()
            self.context = library.create(file.name.encode())
        if not self.context:
            text = ctypes.create_string_buffer(1000)
            ctypes.memmove(text, library.load_error, 1000)
            raise SystemExit(f"mujoco: {' '.join(text.value.decode().split())}")

    def forward(self, states: States, seconds: float) -> Measured:
        """Kinematics, inertia, factorisation, bias, solve."""
        tau = self.coordinates.v(states.q, states.tau)
        answer, best = self._run(FORWARD, states, tau, self.nv, seconds)
        return Measured(self.coordinates.a_back(states.q, states.v, answer), best)

    def inverse(self, states: States, seconds: float) -> Measured:
        """Kinematics and recursive Newton-Euler."""
        a = self.coordinates.a(states.q, states.v, states.a)
        answer, best = self._run(INVERSE, states, a, self.nv, seconds)
        return Measured(self.coordinates.tau_back(states.q, answer), best)

    def mass(self, states: States, seconds: float) -> Measured:
        """Kinematics and composite rigid bodies."""
        answer, _ = self._run(MASS_COPY, states, states.a, self.nv**2, 0.0)
        _, best = self._run(MASS, states, states.a, 1, seconds)
        return Measured(self.coordinates.mass_back(states.q, answer.reshape(-1, self.nv, self.nv)), best)

    def _run(self, what: int, states: States, u: Array, nout: int, seconds: float) -> tuple[Array, float]:
        q, v = self.coordinates.q(states.q), self.coordinates.v(states.q, states.v)
        return native.run(self.library, self.context, what, q, v, u, nout, seconds)


if __name__ == "__main__":
    main(build)
