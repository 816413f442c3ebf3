"""MuJoCo's compiler in a process of its own, for files of strangers: what breaks or never ends there stops there.

This file is also the program of that process; it knows MuJoCo alone.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

SECONDS, MEMORY = 60, 4 << 30  # of its processor's time, twice that by the clock; bytes of memory and of what it writes


def compile_apart(library: Any, path: Path) -> tuple[Any, list[str]]:
    """The compiled model and the warnings, or a ValueError that says what MuJoCo said or how its process ended."""
    with tempfile.TemporaryDirectory(prefix="anyjoint-") as folder:
        made = Path(folder) / "model.mjb"
        command = [sys.executable, "-P", __file__, str(path.resolve()), str(made)]
        try:
            run = subprocess.run(command, cwd=folder, capture_output=True, timeout=2 * SECONDS, check=False)
        except subprocess.TimeoutExpired:
            raise ValueError(f"it was not done within {2 * SECONDS} seconds") from None
        try:
            said = json.loads(run.stdout)
        except ValueError:
            raise ValueError(f"its process ended with code {run.returncode}, out of memory or of time") from None
        if said["error"] is not None:
            raise ValueError(said["error"])
        return library.MjModel.from_binary_path(str(made)), said["warnings"]


def _limit() -> None:
    """Caps of this process, where the system has such."""
    try:
        import resource
    except ImportError:
        return
    for kind, most in (("CPU", SECONDS), ("AS", MEMORY), ("FSIZE", MEMORY), ("CORE", 0)):
        resource.setrlimit(getattr(resource, f"RLIMIT_{kind}"), (most, most))


def _main(path: str, made: str) -> None:
    _limit()
    import mujoco

    said: dict[str, Any] = {"error": None, "warnings": []}
    mujoco.set_mju_user_warning(lambda text: said["warnings"].append(str(text)))
    try:
        mujoco.mj_saveModel(mujoco.MjModel.from_xml_path(path), made)
    except (ValueError, RuntimeError, MemoryError, mujoco.FatalError) as error:
        said["error"] = str(error) or type(error).__name__
    print(json.dumps(said))


if __name__ == "__main__":
    _main(*sys.argv[1:])
