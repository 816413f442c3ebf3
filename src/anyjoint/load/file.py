"""`load`: a mechanism from a file of any format that is known, told by its content."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike
from pathlib import Path

from anyjoint.errors import AnyjointError, InputError, ModelError
from anyjoint.garbage import postponed
from anyjoint.mechanism import Mechanism
from anyjoint.options import named_options, nearest

from .base import BASES
from .file_bytes import read_bytes
from .markup import Element, NoUtf8, mended, parse
from .paths import Paths
from .report import Report, checked_allow
from .request import Request

MESHES = ("view", "skip")
CONTACTS = ("skip", "ground", "all")


def _urdf(root: Element, request: Request) -> Mechanism:
    from .urdf import read_urdf

    return read_urdf(root, request)


def _mjcf(root: Element, request: Request) -> Mechanism:
    from .mjcf import read_mjcf

    return read_mjcf(root, request)


def _osim(root: Element, request: Request) -> Mechanism:
    from .osim import read_osim

    return read_osim(root, request)


# Formats of XML by the tag of the root element: their names, and what reads them, imported when needed.
READERS = {
    "robot": ("URDF", _urdf),
    "mujoco": ("MJCF", _mjcf),
    "mujocoinclude": ("MJCF", _mjcf),
    "OpenSimDocument": ("OpenSim", _osim),
}


@named_options
def load(
    path: str | PathLike[str],
    base: str | None = None,
    allow: str | Iterable[str] = (),
    packages: Mapping[str, str | Path] | None = None,
    meshes: str = "view",
    contacts: str = "skip",
    untrusted: bool = False,
) -> Mechanism:
    """A mechanism from a file: URDF, MJCF, OpenSim, or our own `.aj.json`. What it is, its content says, not its name.

    `base` is how the root stands in the world: "fixed" (the default), "free" or "planar". `allow` lets problems pass
    that would be errors, by their rule: "inertia" keeps masses that no solid can have. `packages` says where the files
    of `package://NAME/...` are. `meshes="skip"` leaves meshes out. `contacts` are those that an MJCF says: of its geoms
    with what stands still ("ground"), also with each other ("all"), or none. `untrusted=True` lets MuJoCo read a file
    of strangers in a process of its own, with capped time and memory. All problems of a file are told at once, with
    their lines; those that loading lives with are in `mech.source.warnings`.
    """
    if not isinstance(path, (str, PathLike)):
        raise InputError(f"load: path={path!r}; expected the path of a file")
    base = "fixed" if base is None else base
    for what, given, known in (("base", base, BASES), ("meshes", meshes, MESHES), ("contacts", contacts, CONTACTS)):
        if given not in known:
            raise InputError(f"load: {what}={given!r} is unknown{nearest(given, known)}")
    report = Report(str(path), checked_allow(allow))
    file = Path(path)
    data = read_bytes(file)
    request = Request(file, data, base, meshes, Paths(file, packages), report, contacts, bool(untrusted))
    try:
        with postponed():
            made = _read(request)
        if contacts != "skip" and made.source is not None and made.source.format != "MJCF":
            what = f"{made.source.format} does not say what touches what"
            raise ModelError(f"contacts={contacts!r}: {what}; add them: mech.add_contact(body, shape, ...) [contacts]")
        return made
    except AnyjointError as error:
        if report.file in str(error):
            raise
        raise ModelError(f"{report.file}: {error}") from error


def _read(request: Request) -> Mechanism:
    start = request.data[:4096].lstrip(b"\xef\xbb\xbf \t\r\n")
    if start.startswith((b"{", b"[")):
        from .own import read_own

        return read_own(request)
    if not start.startswith(b"<") and not start.startswith((b"\xff\xfe", b"\xfe\xff")):
        known = ", ".join(sorted({name for name, _ in READERS.values()}))
        message = f"this is no model that can be read; expected {known} or an .aj.json"
        raise ModelError(f"{request.report.file}:1: {message} [format]")
    root = _parsed(request.data, request.report)
    if root.tag not in READERS:
        known = ", ".join(f"<{tag}> of {name}" for tag, (name, _) in READERS.items())
        place = f"{request.report.file}:{root.line}"
        raise ModelError(f"{place}: <{root.tag}> is no model that is known; expected {known} [format]")
    _, read = READERS[root.tag]
    return read(root, request)


def _parsed(data: bytes, report: Report) -> Element:
    """The root element; where the user allows it, of a file with bytes of another encoding than it says."""
    try:
        return parse(data, report.file)
    except NoUtf8 as error:
        report.refuse(error.line, "encoding", error.reason)
        report.check()
        return parse(mended(data), report.file, "utf-8")
