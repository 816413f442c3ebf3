"""Our articulated-body algorithm and Newton-Euler in CasADi SX, exported to C and compiled."""

from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.util
import json
import tempfile
import time
from pathlib import Path
from typing import Any

from bench.models import Model
from bench.peers import native, toolchain
from bench.peers.protocol import Array, Engine, Measured, States, main

FLAGS = ["-O3", "-march=native", "-ffast-math"]
LOOP = """
#include "loop.h"
static void forward(void *context, const double *q, const double *v, const double *u, double *out) {
    const double *arguments[] = {q, v, u};
    double *results[] = {out};
    forward_dynamics(arguments, results, 0, 0, 0);
}
static void inverse(void *context, const double *q, const double *v, const double *u, double *out) {
    const double *arguments[] = {q, v, u};
    double *results[] = {out};
    inverse_dynamics(arguments, results, 0, 0, 0);
}
double run(void *context, int what, const double *q, const double *v, const double *u, double *out, const Shape *n,
           double budget) {
    return run_loop(what ? inverse : forward, context, q, v, u, out, n, budget);
}
"""


def build(model: Model, compiler: str) -> Engine:
    """ABA and RNEA of one model as compiled straight-line C."""
    if importlib.util.find_spec("casadi") is None:
        raise SystemExit("casadi: the wheel is not installed")
    made = _generated(model)
    source = made.pop("source")
    library, seconds = toolchain.build(source + LOOP, compiler, FLAGS)
    loop = _Loop(toolchain.load(library), model.nv)
    notes = {
        "version": importlib.metadata.version("casadi"),
        "compiler": toolchain.version(compiler),
        "compile_seconds": seconds,
        **made,
    }
    return Engine({"forward_dynamics": loop.forward, "inverse_dynamics": loop.inverse}, notes)


def _generated(model: Model) -> dict[str, Any]:
    """What `generate` gives and the seconds it took, kept on disk: for a hundred bodies CasADi takes a while."""
    algorithms = Path(__file__).with_name("casadi_algorithms.py").read_text(encoding="utf-8")
    parts = [repr(model), algorithms, importlib.metadata.version("casadi"), Path(__file__).read_text(encoding="utf-8")]
    file = toolchain.BUILD / f"{hashlib.sha256('|'.join(parts).encode()).hexdigest()[:24]}.casadi.json"
    if not file.exists():
        started = time.perf_counter()
        source, operations = generate(model)
        made = {"source": source, "generate_seconds": time.perf_counter() - started, "operations": operations}
        toolchain.BUILD.mkdir(exist_ok=True)
        file.write_text(json.dumps(made), encoding="utf-8")
    return dict(json.loads(file.read_text(encoding="utf-8")))


def generate(model: Model) -> tuple[str, dict[str, int]]:
    """C text of both algorithms, and how many instructions each has."""
    import casadi

    from bench.peers import casadi_algorithms as algorithms

    q, v, u = casadi.SX.sym("q", model.nq), casadi.SX.sym("v", model.nv), casadi.SX.sym("u", model.nv)
    functions = {
        name: casadi.Function(name, [q, v, u], casadi.cse([casadi.densify(make(model, q, v, u))]))
        for name, make in (
            ("forward_dynamics", algorithms.forward_dynamics),
            ("inverse_dynamics", algorithms.inverse_dynamics),
        )
    }
    with tempfile.TemporaryDirectory() as folder:
        generator = casadi.CodeGenerator("peer.c", {"casadi_int": "long long int"})
        for function in functions.values():
            generator.add(function)
        generator.generate(folder + "/")
        source = (Path(folder) / "peer.c").read_text(encoding="utf-8")
    return source, {name: function.n_instructions() for name, function in functions.items()}


class _Loop:
    """The compiled loop; coordinates are the neutral ones already."""

    def __init__(self, library: Any, nv: int) -> None:
        self.library, self.nv = library, nv

    def forward(self, states: States, seconds: float) -> Measured:
        """Articulated-body algorithm."""
        return self._run(0, states, states.tau, seconds)

    def inverse(self, states: States, seconds: float) -> Measured:
        """Recursive Newton-Euler."""
        return self._run(1, states, states.a, seconds)

    def _run(self, what: int, states: States, u: Array, seconds: float) -> Measured:
        return Measured(*native.run(self.library, None, what, states.q, states.v, u, self.nv, seconds))


if __name__ == "__main__":
    main(build, compiler=toolchain.COMPILERS)
