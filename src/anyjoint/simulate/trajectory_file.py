"""Trajectories in files: npz keeps everything and can be read back, csv is for other programs."""

from __future__ import annotations

import csv
import json
import zipfile
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from anyjoint.errors import AnyjointError, InputError
from anyjoint.model.parameter_rows import ParameterRows
from anyjoint.scalar.array import Floats
from anyjoint.spatial import Pose

if TYPE_CHECKING:
    from anyjoint.model import Model

    from .trajectory import Trajectory

FORMAT = "anyjoint trajectory 1"
SERIES = ("work", "stored")  # numbers at every sample
OPTIONAL = (*SERIES, "a", "points", "normals", "forces")  # the last of contacts


def write(trajectory: Trajectory, path: str | Path) -> Path:
    """Write a trajectory in the format that the file's name asks for."""
    target = checked_path(path)
    try:
        WRITERS[target.suffix.lower()](trajectory, target)
    except OSError as error:
        raise AnyjointError(f"cannot write {target}: {error.strerror}; choose another place") from error
    return target


def checked_path(path: str | Path) -> Path:
    """A path whose suffix is one of a format that can be written."""
    target = Path(path)
    if target.suffix.lower() not in WRITERS:
        given = f"a file {target.suffix!r}" if target.suffix else "a file without a suffix"
        raise InputError(
            f"cannot save a trajectory as {target}: {given} is not a format that anyjoint writes; "
            "give .npz (everything, for Trajectory.load) or .csv (a table for other programs)"
        )
    return target


def _write_npz(trajectory: Trajectory, target: Path) -> None:
    """Arrays and a JSON header, no pickle."""
    mechanism, status = getattr(trajectory.model, "mechanism", None), trajectory.status
    header = {
        "format": FORMAT,
        "mechanism": getattr(mechanism, "name", ""),
        "coordinates": list(getattr(mechanism, "coordinate_names", [])),
        "method": trajectory.method,
        "steps": trajectory.steps,
        "status": {"ok": status.ok, "reason": status.reason, "time": status.time},
        "events": [
            {"event": c.event, "time": c.time, "q": c.q.tolist(), "v": c.v.tolist()} for c in trajectory.events
        ],
    }
    if trajectory.parameters is not None:
        header["parameters"] = {name: _numbers(column) for name, column in trajectory.parameters.columns.items()}
    own_header, own_arrays = trajectory.own_facts()
    text = np.frombuffer(json.dumps(header | own_header).encode(), dtype=np.uint8)
    # What inputs and forces did, which are not kept.
    work = trajectory.work() if trajectory.model is not None and trajectory.is_driven() else trajectory.done
    known = {"work": work, "stored": trajectory.stored_in_forces()}
    more = {name: values for name, values in (known | own_arrays).items() if values is not None}
    with target.open("wb") as file:
        np.savez_compressed(file, header=text, t=trajectory.t, q=trajectory.q, v=trajectory.v, **more)


def _numbers(column: Any) -> list[Any]:
    """Rows of a parameter as lists of numbers; poses as their matrices."""
    return [pose.matrix.tolist() for pose in column] if isinstance(column, list) else column.tolist()


def read_rows(given: Mapping[str, Any] | None, model: Model | None) -> ParameterRows | None:
    """Parameters of the trajectories of a batch, as they were saved."""
    if given is None or model is None:
        return None
    poses = {name for name in given if name.endswith("/placement")}
    values = {name: [Pose.from_matrix(T) for T in x] if name in poses else x for name, x in given.items()}
    return model.parameter_rows(values)


def _write_csv(trajectory: Trajectory, target: Path) -> None:
    """A row of names, then a row per sample; numbers are written so that they can be read back exactly."""
    names, table = trajectory.table()
    with target.open("w", encoding="utf8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(names)
        writer.writerows([repr(float(x)) for x in row] for row in table)


WRITERS: dict[str, Callable[[Trajectory, Path], None]] = {".npz": _write_npz, ".csv": _write_csv}


def read(path: str | Path) -> tuple[dict[str, Any], dict[str, Floats]]:
    """Header and arrays (t, q, v; those of OPTIONAL that are known) of a file that `write` wrote as npz."""
    if Path(path).suffix.lower() == ".csv":
        raise InputError(f"{path} is a table, which lacks the run's status and events; load the .npz of the run")
    try:
        with np.load(Path(path), allow_pickle=False) as data:
            header = json.loads(bytes(data["header"]).decode())
            arrays = {name: np.array(data[name]) for name in ("t", "q", "v", *(set(OPTIONAL) & set(data)))}
    except OSError as error:
        raise AnyjointError(f"cannot read the trajectory {path}: {error.strerror or error}") from error
    except (zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise InputError(f"{path} is damaged or was cut short ({error}); save the trajectory again") from error
    except KeyError as error:
        raise InputError(f"{path} is not a trajectory that anyjoint has saved: {error.args[0]}") from error
    except (ValueError, TypeError, AttributeError) as error:
        raise InputError(f"{path} is not a trajectory that anyjoint has saved; give an .npz of traj.save()") from error
    _check(path, header, **arrays)
    return header, arrays


def _check(path: str | Path, header: object, t: Floats, q: Floats, v: Floats, **more: Floats) -> None:
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise InputError(f"{path} is not a trajectory of the format {FORMAT!r}; was it saved by another version?")
    missing = {"method", "steps", "status", "events"} - set(header)
    if missing:
        raise InputError(f"{path} lacks {', '.join(sorted(missing))} in its header; save the trajectory again")
    lead = {"t": t.shape, "q": q.shape[:-1], "v": v.shape[:-1]}
    leads = {lead["q"], lead["v"], *(more[name].shape for name in SERIES if name in more)}
    leads |= {more[name].shape[:1] for name in OPTIONAL if name in more and name not in SERIES}
    if t.ndim != 1 or q.ndim not in (2, 3) or len(leads) > 1 or lead["q"][0] != len(t):
        shapes = f"t {t.shape}, q {q.shape}, v {v.shape}"
        raise InputError(f"{path} holds arrays that do not belong together: {shapes}; save the trajectory again")
    if any(x.dtype.kind != "f" for x in (t, q, v, *more.values())):
        raise InputError(f"{path} holds arrays that are not of real numbers; save the trajectory again")
