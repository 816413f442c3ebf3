"""MuJoCo's own compiler: defaults, classes, angles, fused bodies and inertias of geoms are its business, not ours."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from typing import Any

from anyjoint.optional import optional

from ..request import Request
from .apart import compile_apart

MjModel = Any  # a compiled model; the package may be missing
Lines = Callable[[str, str], int]  # where something of a kind and a name is in the file
REMEDY = "MJCF is compiled by MuJoCo: pip install anyjoint[mjcf]"


def mujoco() -> Any:
    """The module, or an error that says how to get it."""
    return optional("mujoco", f"load: {REMEDY}")


def compiled(request: Request) -> MjModel:
    """The compiled model, an mjModel; what MuJoCo refuses or warns of is reported with the line that it names."""
    library = mujoco()
    try:
        if request.untrusted:
            made, heard = compile_apart(library, request.path)
        else:
            with _listening(library) as heard:
                made = library.MjModel.from_xml_path(str(request.path))
        for text in heard:
            request.report.warn(0, "mujoco", " ".join(text.split()))
        return made
    except (ValueError, RuntimeError, library.FatalError) as error:
        said = " ".join(str(error).split())
        line = re.search(r"\bline[: =]+(\d+)", said)
        request.report.error(int(line[1]) if line else 0, "mujoco", f"MuJoCo refuses it: {said}")
        request.report.check()
        raise  # not reached


@contextmanager
def _listening(library: Any) -> Iterator[list[str]]:
    """What MuJoCo warns of, which it would write to a file in the folder of whoever calls."""
    said: list[str] = []
    before = library.get_mju_user_warning()
    library.set_mju_user_warning(lambda text: said.append(str(text)))
    try:
        yield said
    finally:
        library.set_mju_user_warning(before)


class Names:
    """Names of a compiled model's parts; unnamed ones get a kind and a number that no other part of the kind has."""

    def __init__(self, model: MjModel) -> None:
        library = mujoco()
        self._names = {}
        for kind, counts in KINDS.items():
            parts = next(getattr(model, count) for count in counts if hasattr(model, count))
            what = getattr(library.mjtObj, f"mjOBJ_{kind.upper()}")
            given = [library.mj_id2name(model, what, k) for k in range(parts)]
            taken = {*given}
            self._names[kind] = [name or _fresh(f"{kind}{k}", taken) for k, name in enumerate(given)]

    def of(self, kind: str, index: int) -> str:
        """The name of a part."""
        return self._names[kind][int(index)]


def _fresh(name: str, taken: Collection[str | None]) -> str:
    while name in taken:
        name += "_"
    return name


# Kinds of parts, and what a model calls their number; versions of MuJoCo differ.
KINDS = {
    "body": ["nbody"], "joint": ["njnt"], "site": ["nsite"], "geom": ["ngeom"], "equality": ["neq"],
    "tendon": ["ntendon"], "actuator": ["nactuator", "nu"], "sensor": ["nsensor"], "key": ["nkey"], "camera": ["ncam"],
}  # fmt: skip
