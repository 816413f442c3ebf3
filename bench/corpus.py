"""Files of other engines: how many load, why others are refused, and how far they agree with these engines.

    python -m bench.corpus urdf FOLDER...     every .urdf below, against Pinocchio; of refusals, yourdfpy is asked, too
    python -m bench.corpus mjcf FOLDER...     every MJCF below, against MuJoCo
    python -m bench.corpus osim FOLDER...     every .osim below, against OpenSim (pip install opensim)
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import anyjoint as aj
from anyjoint.load.oracle import Comparison, OracleRefused, compared

from .opensim_parts import without_refused

ALLOWED = {"encoding", "inertia", "limit", "mimic", "reference", "unsupported", "vector", "xacro"}
CLOSE = {"urdf": 1e-10, "mjcf": 1e-9, "osim": 1e-10}
LARGEST = 150  # velocities
PATTERNS = {"urdf": "*.urdf", "mjcf": "*.xml", "osim": "*.osim"}
ORACLES = {"urdf": "pin", "mjcf": "mujoco", "osim": "opensim"}


def main(kind: str, *folders: str) -> None:
    """Print the counts of each folder, the reasons of refusals, and the files that differ or that only others load."""
    total, reasons = Counter[str](), Counter[str]()
    for folder in folders:
        counts = Counter[str]()
        for path in files(kind, folder):
            how, mech = loaded(path, folders, reasons)
            counts.update(["files", how])
            if mech is None:
                print(f"{path}: refused: {_why_refused(path)}", flush=True)
            if mech is None and OPENS[kind](path):
                counts["refused, but others load it"] += 1
                print(f"{path}: others load it", flush=True)
            if mech is not None:
                answer = _compared(kind, path, mech)
                counts[answer.partition(":")[0]] += 1
                if ":" in answer:
                    print(f"{path}: {answer}", flush=True)
        _print(folder, counts)
        total += counts
    _print("all folders", total)
    _print("refused or allowed", reasons)


def _print(title: str, table: Counter[str]) -> None:
    print(f"\n{title}")
    for name, number in table.most_common():
        print(f"  {number:5d}  {name}", flush=True)


def files(kind: str, folder: str) -> Iterator[Path]:
    """The files of a kind below a folder."""
    for path in sorted(Path(folder).rglob(PATTERNS[kind])):
        if kind != "mjcf" or b"<mujoco" in path.read_bytes()[:100_000]:
            yield path


def loaded(path: Path, folders: tuple[str, ...], reasons: Counter[str]) -> tuple[str, Any]:
    """How a file loads: strictly, with rules let pass, or not at all."""
    roots = {f"folder {k}": folder for k, folder in enumerate(folders)}
    for how, allow in (("strict", set()), ("allowed", ALLOWED)):
        try:
            return how, aj.load(path, meshes="skip", allow=allow, packages=roots)
        except aj.AnyjointError as error:
            if how == "strict":
                reasons.update(set(re.findall(r"\[([\w-]+)\]$", str(error), re.MULTILINE)))
    return "refused", None


def _compared(kind: str, path: Path, mech: aj.Mechanism) -> str:
    """Whether the oracle agrees, or why it was not asked."""
    if not 0 < mech.nv <= LARGEST:
        return f"not compared: it has {mech.nv} velocities"
    if kind != "urdf" and any(warning.rule == "unsupported" for warning in mech.source.warnings):
        return "not compared: something is left out"
    try:
        found = compared(ORACLES[kind], path, mech)
        far = found.beyond(CLOSE[kind])
        but = _but(found)
        if far and kind == "osim" and _agrees_anew(path, far):
            return f"agrees with the file as OpenSim writes it anew, which rounds numbers{but}"
    except OracleRefused as refusal:
        return _compared_in_part(path, mech) if kind == "osim" else f"not compared: {refusal}"
    return f"differs: {_in_words(far)}" if far else f"agrees{but}"


def _but(found: Comparison) -> str:
    """What was not asked for in the end."""
    return f", but for {', '.join(found.notes)}" if found.notes else ""


def _in_words(far: dict[str, float]) -> str:
    return ", ".join(f"{what} by {worst:.2g}" for what, worst in far.items())


def _compared_in_part(path: Path, mech: aj.Mechanism) -> str:
    """Whether OpenSim agrees once parts are cut out that it refuses, on which nothing that is compared depends."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / path.name
        try:
            parts = ", ".join(without_refused(path, copy))
            found = compared("opensim", copy, mech)
            far = found.beyond(CLOSE["osim"])
            if far and not _agrees_anew(copy, far):
                return f"differs: without {parts}: {_in_words(far)}"
        except (OracleRefused, RuntimeError) as refusal:
            return f"not compared: {' '.join(str(refusal).split())}"
    anew = ", as it writes the file anew" if far else ""
    return f"agrees without parts that OpenSim refuses{anew}: {parts}{_but(found)}"


def _why_refused(path: Path) -> str:
    """The first problem of a file, by its line, and how many more it has."""
    try:
        aj.load(path, meshes="skip", allow=ALLOWED)
    except aj.AnyjointError as error:
        first, *more = [line.strip(" -") for line in str(error).splitlines()][1:] or [str(error)]
        return first + (f" and {len(more)} more" if more else "")
    return "only with the folders of its packages"


def _agrees_anew(path: Path, asked: Iterable[str]) -> bool:
    """Whether all that is asked for agrees of the file as OpenSim brings it up to date."""
    import opensim

    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / path.name
        opensim.Model(str(path)).printToXML(str(copy))
        without_refused(copy, copy)  # a controller may be written so that OpenSim itself does not take it
        found = compared("opensim", copy, aj.load(copy, meshes="skip", allow=ALLOWED))
        return not found.beyond(CLOSE["osim"]) and all(what in found.worst for what in asked)


def _opens_urdf(path: Path) -> bool:
    """Whether Pinocchio or, where it is installed, yourdfpy reads a file."""
    import pinocchio

    try:
        pinocchio.buildModelFromUrdf(str(path))
        return True
    except (ValueError, RuntimeError):
        pass
    try:
        import yourdfpy

        return bool(yourdfpy.URDF.load(str(path), build_scene_graph=False, load_meshes=False).robot.links)
    except Exception:  # it is not installed, or stumbles
        return False


def _opens_mjcf(path: Path) -> bool:
    import mujoco

    try:
        return mujoco.MjModel.from_xml_path(str(path)).nbody > 1  # those without bodies have nothing that moves
    except ValueError:
        return False


def _opens_osim(path: Path) -> bool:
    import opensim

    try:
        model = opensim.Model(str(path))
        return bool(model.initSystem()) and model.getNumBodies() > 0
    except RuntimeError:
        return False


OPENS = {"urdf": _opens_urdf, "mjcf": _opens_mjcf, "osim": _opens_osim}


if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in CLOSE:
        sys.exit(__doc__)
    main(*sys.argv[1:])
