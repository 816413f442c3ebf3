"""What is saved is what is loaded: mechanisms written to .aj.json and read again, compared to the last bit.

    python -m bench.round_trip                 the gallery and its scripts, with their forces
    python -m bench.round_trip FOLDER...       every URDF, MJCF and OpenSim file below that loads

Texts must be equal when saved again; poses, inverse dynamics, paths, sensors and all forces of the file must have the
same bits.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import anyjoint as aj
from anyjoint.cli import gallery as scripts
from anyjoint.cli.target import resolve
from anyjoint.forces.program import trace_forces
from anyjoint.mechanism import Source

from .corpus import LARGEST, PATTERNS, files, loaded

BUILDERS = [name for name in aj.gallery.__all__ if name not in ("random_tree", "every_kind")]


def main(*folders: str) -> None:
    """Print how many come back the same, and name those that do not."""
    counts = Counter[str]()
    for name, mech in _of_folders(folders) if folders else _of_gallery():
        answer = difference(mech)
        counts[answer.partition(":")[0]] += 1
        if answer != "the same":
            print(f"{name}: {answer}", flush=True)
    for answer, number in counts.most_common():
        print(f"  {number:5d}  {answer}")


def _of_gallery() -> Iterator[tuple[str, aj.Mechanism]]:
    for name in BUILDERS:
        yield name, getattr(aj.gallery, name)()
    yield "random_tree", aj.gallery.random_tree(coupled=True)
    for name in scripts.names():
        target = resolve(name)
        target.mechanism.source = Source("", "", forces=tuple(target.acting))
        yield f"{name} (script)", target.mechanism


def _of_folders(folders: tuple[str, ...]) -> Iterator[tuple[str, aj.Mechanism]]:
    for kind in PATTERNS:
        for folder in folders:
            for path in files(kind, folder):
                mech = loaded(path, folders, Counter())[1]
                if mech is not None:
                    yield str(path), mech


def difference(mech: aj.Mechanism) -> str:
    """What is not the same after saving and loading."""
    with TemporaryDirectory() as folder:
        first, second = (Path(folder) / name for name in ("first.aj.json", "second.aj.json"))
        try:
            aj.save(mech, first)
        except aj.AnyjointError as error:
            return f"cannot be saved: {' '.join(str(error).split())}"
        made = aj.load(first)
        aj.save(made, second)
        if first.read_text() != second.read_text():
            return "saved again it is another text"
    if mech.nv > LARGEST:
        return "the same text, too many velocities to compile"
    wanted, found = _answers(mech, mech), _answers(made, mech)
    far = [what for what in wanted if not np.array_equal(wanted[what], found.get(what), equal_nan=True)]
    return f"other bits: {', '.join(far)}" if far or wanted.keys() != found.keys() else "the same"


def _answers(mech: aj.Mechanism, state: aj.Mechanism) -> dict[str, Any]:
    """All that a mechanism says at the start of another, moving."""
    q, v = state.start[0] if state.start is not None else state.neutral, np.linspace(-1.0, 1.0, state.nv)
    made: dict[str, Any] = {"rows": len(mech.constraints), "contacts": len(mech.contacts), "start": q}
    made["poses"] = [pose.matrix for pose in mech.poses([float(x) for x in q])]
    time = {"t": 0.3} if mech.timed else {}
    source = mech.source or Source("", "")
    if not mech.nv:
        return made
    model = mech.compile()
    made["forces of motion"] = model.inverse_dynamics(q, v, v, **time)
    acting = [*source.forces, *(replace(x, **_busy(x)) for x in source.actuators.values())]
    made["forces of the file"] = trace_forces(mech, acting).torque(0.3, q, v) if acting else 0.0
    for name, path in source.tendons.items():
        made[f"path {name}"] = model.path_length(q, aj.forces.Tendon(path))
    for name, sensor in source.sensors.items():
        made[f"sensor {name}"] = sensor(model, q, v)
    return made


def _busy(drive: Any) -> dict[str, float]:
    """A drive that does something."""
    return {name: 0.5 for name in ("activation", "control") if hasattr(drive, name)}


if __name__ == "__main__":
    main(*sys.argv[1:])
