"""A look at an MJCF before MuJoCo reads it: which files it names, and where its bodies and joints stand.

MuJoCo opens whatever a file names, also outside of its folder. So every file is found by our own rules first.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path, PurePosixPath

from ..file_bytes import read_bytes
from ..markup import Element, parse
from ..numbers import read_number
from ..paths import PathRefused
from ..request import Request

MOST_INCLUDES = 200
MOST = {"elements": 100_000, "heights": 4_000_000, "pixels": 64_000_000, "vertices": 100_000, "bytes": 4 << 30,
        "entries": 100_000, "user numbers": 100_000_000}  # fmt: skip
SIZES = (
    ("hfield", ("nrow", "ncol"), "heights"),
    ("texture", ("width", "height"), "pixels"),
    ("camera", ("resolution",), "pixels"),
    ("flexcomp", ("count",), "vertices"),
    ("composite", ("count",), "elements"),
)
UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40, "P": 1 << 50, "E": 1 << 60}
MOST_BYTES = 256 << 20
FOLDERS = {"mesh": "meshdir", "hfield": "meshdir", "skin": "meshdir", "flexcomp": "meshdir", "texture": "texturedir"}
SECTIONS = ("actuator", "sensor", "tendon", "equality")  # whose parts have tags of their own, and are of one kind
SAME = {"freejoint": "joint"}
SIDES = ("fileright", "fileleft", "fileup", "filedown", "filefront", "fileback")


@dataclass
class Scan:
    """All elements of a file and its includes; the lines of the main file's that have names, by kind and name."""

    # In the order in which MuJoCo meets them: with the folder of its file, and its line if that is the main file.
    elements: list[tuple[Element, Path, int]] = field(default_factory=list)
    lines: dict[tuple[str, str], int] = field(default_factory=dict)
    bytes: int = 0
    includes: int = 0
    copies: float = 0.0


def scan(root: Element, request: Request) -> Scan:
    """Read includes and attached models, find every file that is named, report those that may not be read."""
    found = Scan()
    for section in root.children:
        for element in section.walk():
            if name := element.attributes.get("name"):  # a joint, its drive and a mesh often share one
                kind = section.tag if section.tag in SECTIONS else SAME.get(element.tag, element.tag)
                found.lines.setdefault((kind, name), element.line)
    _look(root, request, found, (), request.paths.folder)
    return found


def _look(root: Element, request: Request, found: Scan, chain: tuple[str, ...], home: Path) -> None:
    """One model with its includes; models that it attaches have folders of their own."""
    first = len(found.elements)
    _include(root, request, found, chain, home, 1.0)
    elements = found.elements[first:]
    folders = _folders([element for element, _, _ in elements])
    for element, folder, line in elements:
        for reference in _files(element, folders):
            try:
                path = _find(reference, (home, folder), request)
                if element.tag == "model":
                    _open(path, reference, line, request, found, chain, _look)
            except PathRefused as refusal:
                request.report.error(line, "path", str(refusal))
        for what, count in _made(element, found.copies):
            if not count <= MOST[what]:
                message = f"<{element.tag}> asks for {count:,.0f} {what}; at most {MOST[what]:,} are made"
                request.report.error(line, "size", message)


def _find(reference: str, folders: tuple[Path, ...], request: Request) -> Path:
    """A file beside the main file, or beside the one that names it."""
    *others, last = dict.fromkeys(folders)
    for folder in others:
        try:
            return request.paths.find(reference, folder)
        except PathRefused:
            continue
    return request.paths.find(reference, last)


def _include(
    root: Element, request: Request, found: Scan, chain: tuple[str, ...], here: Path, times: float
) -> None:
    """All elements of a file that is there so many times, and of those that it includes."""
    waiting = [(root, times)]
    while waiting:
        element, times = waiting.pop()
        line = 0 if chain else element.line
        found.elements.append((element, here, line))
        found.copies += times
        if found.copies > MOST["elements"]:
            message = f"copies of <replicate> and included files have more than {MOST['elements']:,} elements"
            request.report.error(0, "size", message)
            request.report.check()
        if element.tag == "replicate":
            times *= max(read_number(element.attributes.get("count", "1")) or 0.0, 1.0)
        if element.tag == "include":
            reference = element.attributes.get("file", "")
            try:
                path = _find(reference, (request.paths.folder, here), request)
                _open(path, reference, line, request, found, chain, partial(_include, times=times))
            except PathRefused as refusal:
                request.report.error(line, "include", str(refusal))
        waiting += [(child, times) for child in reversed(element.children)]


def _open(
    path: Path, reference: str, line: int, request: Request, found: Scan, chain: tuple[str, ...],
    look: Callable[..., None],
) -> None:  # fmt: skip
    """Look into another file, unless it is open already."""
    if reference in chain or len(chain) > 20:
        request.report.error(line, "include", f"a file includes itself: {' -> '.join([*chain, reference])}")
        return
    found.includes += 1
    if found.includes > MOST_INCLUDES:
        request.report.error(line, "include", f"more than {MOST_INCLUDES} files are included")
        request.report.check()
    data = read_bytes(path)
    found.bytes += len(data)
    if found.bytes > MOST_BYTES:
        request.report.error(line, "include", f"includes have more than {MOST_BYTES:,} bytes")
        request.report.check()
    if data.lstrip()[:1] == b"<":  # what is no XML, MuJoCo has other readers for
        look(parse(data, reference), request, found, (*chain, reference), path.parent)


def _made(element: Element, elements: float) -> Iterator[tuple[str, float]]:
    """How much MuJoCo is asked to make of one of many elements; what is no number is its business."""
    for tag, names, what in SIZES:
        if element.tag == tag and any(name in element.attributes for name in names):
            yield what, math.prod(x for name in names for x in _numbers(element, name))
    if element.tag == "mesh" and "builtin" in element.attributes:
        first, *others = _numbers(element, "params")
        yield "vertices", first * (others[0] if element.attributes["builtin"] == "plate" and others else first)
    if element.tag == "size":
        yield from _sizes(element, elements)


def _sizes(element: Element, elements: float) -> Iterator[tuple[str, float]]:
    """What a <size> asks for by each of its attributes."""
    for name in element.attributes:
        if name == "memory" and (memory := element.attributes[name].strip().upper()):
            yield "bytes", (read_number(memory.rstrip("KMGTPE")) or 0.0) * UNITS.get(memory[-1], 1)
        elif name == "nstack":
            yield "bytes", 8 * _numbers(element, name)[0]
        elif name.startswith("nuser_"):
            yield "user numbers", elements * _numbers(element, name)[0]
        else:
            yield "entries", _numbers(element, name)[0]


def _numbers(element: Element, name: str) -> list[float]:
    """Numbers of an attribute, none below 1."""
    return [max(read_number(word) or 0.0, 1.0) for word in element.attributes.get(name, "1").split()] or [1.0]


def _folders(elements: list[Element]) -> dict[str, str]:
    folders = {"meshdir": "", "texturedir": "", "strippath": ""}
    for element in elements:
        if element.tag == "compiler":
            both = element.attributes.get("assetdir")
            for name in folders:
                folders[name] = element.attributes.get(name, both or folders[name])
    return folders


def _files(element: Element, folders: dict[str, str]) -> Iterator[str]:
    """What an element wants MuJoCo to open, relative to the main file."""
    names = ["file", *SIDES] if element.tag == "texture" else ["file"]
    folder = folders[FOLDERS[element.tag]] if element.tag in FOLDERS else ""
    if element.tag in FOLDERS or element.tag == "model":
        for name in names:
            if file := element.attributes.get(name):
                file = PurePosixPath(file).name if folders["strippath"] == "true" else file
                yield str(PurePosixPath(folder) / file)
    if element.tag == "plugin" and "/" in element.attributes.get("plugin", ""):
        yield element.attributes["plugin"]
