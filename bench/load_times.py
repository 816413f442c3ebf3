"""From a file to the first answer: load, compile and one forward dynamics of a robot, in a fresh interpreter.

    python -m bench.load_times [FILE]     Talos of the peers' environment unless a file is given

Times are processor seconds of the whole process, the least of several, so that a busy computer does not change them
much: with an empty cache, and with the machine code in the cache. Goals are for what is ours: from importing anyjoint,
which counts as loading, to the first answer, without Python's and NumPy's own start.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

TALOS = "cmeel.prefix/share/example-robot-data/robots/talos_data/robots/talos_reduced.urdf"
ROUNDS = {"cold": 5, "cached": 25}
GOALS = {"cold": 1.5, "cached": 0.3}
SCRIPT = """
import time, json
marks = [("python", time.process_time())]
import numpy
marks.append(("numpy", time.process_time()))
import anyjoint
mech = anyjoint.load({path!r}, base="free", meshes="skip", allow={{"inertia"}})
marks.append(("load", time.process_time()))
model = mech.compile()
marks.append(("compile", time.process_time()))
model.forward_dynamics(mech.neutral, numpy.zeros(mech.nv))
marks.append(("first call", time.process_time()))
print(json.dumps(marks))
"""


def main(*files: str) -> None:
    """Print the table."""
    path = Path(files[0]) if files else next(Path(".venv-bench").rglob(TALOS), None)
    if path is None:
        sys.exit("There is no Talos in .venv-bench (make bench makes it); name a file.")
    with tempfile.TemporaryDirectory() as folder:
        fresh(path, Path(folder) / "warm")  # byte code of all modules
        best = {
            how: min((fresh(path, Path(folder) / (f"cold {k}" if how == "cold" else "warm")) for k in range(count)),
                     key=lambda marks: marks[-1][1])
            for how, count in ROUNDS.items()
        }  # fmt: skip
    print(f"{path.name}, processor seconds")
    for how, marks in best.items():
        before, parts = 0.0, []
        for name, at in marks:
            parts.append(f"{name} {at - before:.3f}")
            before = at
        ours = before - dict(marks)["numpy"]
        print(f"  {how:8s} {ours:.2f} (goal {GOALS[how]}), in all {before:.2f}: {', '.join(parts)}")


def fresh(path: Path, cache: Path) -> list[tuple[str, float]]:
    """Names and times of what a new interpreter has done."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT.format(path=str(path))], check=True, capture_output=True, text=True,
        env=environment | {"ANYJOINT_CACHE": str(cache)},
    )  # fmt: skip
    return [(name, at) for name, at in json.loads(run.stdout)]


if __name__ == "__main__":
    main(*sys.argv[1:])
