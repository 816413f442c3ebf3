"""A look at an MJCF before MuJoCo reads it: which files it names, and where its bodies and joints stand.

MuJoCo opens whatever a file names, also outside of its folder. So every file is found by our own rules first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from ..file_bytes import read_bytes
from ..markup import Element, parse
from ..paths import PathRefused
from ..request import Request

MOST_INCLUDES = 200
MOST_BYTES = 256 << 20
FOLDERS = {"mesh": "meshdir", "hfield": "meshdir", "skin": "meshdir", "flexcomp": "meshdir", "texture": "texturedir"}
SIDES = ("fileright", "fileleft", "fileup", "filedown", "filefront", "fileback")


@dataclass
class Scan:
    """All elements of a file and its includes; the lines of the main file's that have names, by (tag, name)."""

    elements: list[tuple[Element, Path]] = field(default_factory=list)  # with the folder of its file
    lines: dict[tuple[str, str], int] = field(default_factory=dict)
    bytes: int = 0
    includes: int = 0

    def line(self, tag: str, name: str) -> int:
        """Where an element stands in the main file; 0 for one of an include."""
        return self.lines.get((tag, name), 0)


def scan(root: Element, request: Request) -> Scan:
    """Read includes, find every file that is named, report those that may not be read."""
    found = Scan()
    for element in root.walk():
        if name := element.attributes.get("name"):
            found.lines.setdefault((element.tag, name), element.line)
    _include(root, request, found, ())
    folders = _folders([element for element, _ in found.elements])
    main = len(list(root.walk()))
    for k, (element, folder) in enumerate(found.elements):
        for reference in _files(element, folders):
            try:
                _find(reference, folder, request)
            except PathRefused as refusal:
                request.report.error(element.line if k < main else 0, "path", str(refusal))
    return found


def _find(reference: str, folder: Path, request: Request) -> Path:
    """A file beside the main file, or beside the one that names it."""
    try:
        return request.paths.find(reference)
    except PathRefused:
        if folder == request.paths.folder:
            raise
        return request.paths.find(reference, folder)


def _include(root: Element, request: Request, found: Scan, chain: tuple[str, ...], folder: Path | None = None) -> None:
    here, inside = folder or request.paths.folder, list(root.walk())
    found.elements += [(element, here) for element in inside]
    for element in inside:
        if element.tag != "include":
            continue
        reference, line = element.attributes.get("file", ""), element.line if not chain else 0
        if reference in chain or len(chain) > 20:
            round_trip = " -> ".join([*chain, reference])
            request.report.error(line, "include", f"a file includes itself: {round_trip}")
            continue
        found.includes += 1
        if found.includes > MOST_INCLUDES:
            request.report.error(line, "include", f"more than {MOST_INCLUDES} files are included")
            return
        try:
            path = _find(reference, here, request)
            data = read_bytes(path)
        except PathRefused as refusal:
            request.report.error(line, "include", str(refusal))
            continue
        found.bytes += len(data)
        if found.bytes > MOST_BYTES:
            request.report.error(line, "include", f"includes have more than {MOST_BYTES:,} bytes")
            return
        _include(parse(data, reference), request, found, (*chain, reference), path.parent)


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
