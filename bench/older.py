"""An older commit of anyjoint and this one on one machine: operations, and times of the bare code in turns.

`python -m bench.older COMMIT [NAME ...] [--rounds N] [--core K]` unpacks the commit beside, and measures both trees by
their own `bench.ours`. Robots come from Pinocchio, as in `bench.run`. Ratios above 1 mean that this one takes longer.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Any

from bench.derivatives import describe

HERE = Path(__file__).resolve().parent.parent
MODELS = ("UR5", "Panda", "ANYmal", "Talos", "iCub", "RC20", "RC100")
# Runs in either tree: what it imports are names that `bench` has had from the beginning.
MEASURE = """
import json, sys
from pathlib import Path
from bench import models, ours
from bench.peers.protocol import QUANTITIES, States
neutral = models.load(Path(sys.argv[1]))
states = States(*models.random_states(neutral, 16))
model = ours.mechanism(neutral).compile()
found = {}
for name in QUANTITIES:
    inputs = [getattr(states, x) for x in ours.ARGUMENTS[name]]
    found[name] = ours.kernel_time(model, name, inputs, float(sys.argv[2])), int(model.op_count(name).total)
print(json.dumps(found))
"""


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.older", description=__doc__.splitlines()[0])
    parser.add_argument("commit")
    parser.add_argument("names", nargs="*", default=MODELS)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--core", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=0.2, help="of repeats for each number")
    options = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {options.core})
    with tempfile.TemporaryDirectory() as folder:
        older = Path(folder) / "older"
        archive = subprocess.run(["git", "archive", options.commit], cwd=HERE, capture_output=True, check=True).stdout
        with tarfile.open(fileobj=io.BytesIO(archive)) as packed:
            packed.extractall(older, filter="data")
        print(f"{'':8}{'':18}{'operations':>20}{'ns':>20}{'time':>9}")
        for name in options.names:
            file = Path(folder) / f"{name}.json"
            describe(name, Path(folder)).save(file)
            times: list[dict[str, Any]] = [{}, {}]
            for _ in range(options.rounds):
                for tree, best in zip((older, HERE), times, strict=True):
                    for quantity, (t, operations) in measure(tree, file, Path(folder), options.seconds).items():
                        best[quantity] = min(best.get(quantity, (t, operations)), (t, operations))
            for quantity in times[0]:
                (before, least), (now, most) = (best[quantity] for best in times)
                counts, taken = f"{least:,} -> {most:,}", f"{before:.0f} -> {now:.0f}"
                print(f"{name:8}{quantity:18}{counts:>20}{taken:>20}{now / before:9.2f}", flush=True)


def measure(tree: Path, file: Path, folder: Path, seconds: float) -> dict[str, tuple[float, int]]:
    """Nanoseconds and operations of each quantity, by the code of a tree."""
    paths = os.pathsep.join([str(tree / "src"), str(tree)])
    environment = {**os.environ, "PYTHONPATH": paths, "ANYJOINT_CACHE": str(folder / f"cache {tree.name}")}
    command = [sys.executable, "-c", MEASURE, str(file), str(seconds)]
    done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"bench.older: {tree.name} failed\n{done.stderr}")
    found: dict[str, tuple[float, int]] = json.loads(done.stdout)
    return found


if __name__ == "__main__":
    main()
