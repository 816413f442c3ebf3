"""Files that OpenSim refuses for parts that move nothing: what it takes offence at is cut out, by its own words.

What is compared (poses, velocities, mass matrices, lengths and moment arms of muscles) does not depend on these parts.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from xml.parsers import expat

Doomed = Callable[[str, bytes], bool]  # of a tag and the text of its element
MOST = 8  # parts


def without_refused(path: Path, copy: Path) -> list[str]:
    """Write a copy that OpenSim opens; what was cut out of it. RuntimeError where that is more than such parts."""
    data, parts = path.read_bytes(), list[str]()
    while True:
        copy.write_bytes(data)
        refusal = _refusal(copy)
        if refusal is None:
            return parts
        part, doomed = _cure(refusal)
        shorter = cut(data, doomed) if len(parts) < MOST else data
        if shorter == data:
            raise RuntimeError(refusal)
        data, parts = shorter, [*parts, part]


def _refusal(path: Path) -> str | None:
    import opensim

    try:
        opensim.Model(str(path)).initSystem()
    except RuntimeError as error:
        return str(error)
    return None


def _cure(refusal: str) -> tuple[str, Doomed]:
    """What to cut out for a refusal, in words and as a test of elements."""
    for pattern, words, made in CURES:
        if found := re.search(pattern, refusal):
            return words.format(found[1]), made(found[1])
    raise RuntimeError(refusal)


def _tagged(name: str) -> Doomed:
    return lambda tag, text: tag == name


def _meshed(file: str) -> Doomed:
    return lambda tag, text: tag == "ContactMesh" and file.encode() in text


def _touching(name: str) -> Doomed:
    named = re.compile(rb"<geometry>[^<]*\b%s\b[^<]*</geometry>" % re.escape(name.encode()))
    return lambda tag, text: tag in ("ElasticFoundationForce", "HuntCrossleyForce") and bool(named.search(text))


CURES: list[tuple[str, str, Callable[[str], Doomed]]] = [
    (r"object type '\{(\w+)\}' is not a registered", "a plugin's {}", _tagged),
    (r"Error loading mesh file: (\S+)\.\s", "the contact mesh {}, which is not there", _meshed),
    (r"could not find 'contactgeometryset/(\w+)'", "forces of the contact mesh {}", _touching),
    (r"Property '(minimum_activation|min_control)' has an invalid", "a {} that OpenSim 4 refuses", _tagged),
    (r"In Object '[^']*' of type (\w+Controller)\.", "a {} of drives that are not there", _tagged),
]


def cut(data: bytes, doomed: Doomed) -> bytes:
    """The text without some of its elements; lines keep their numbers."""
    begun, spans = list[tuple[str, int]](), list[tuple[int, int]]()
    parser = expat.ParserCreate()

    def start(tag: str, attributes: dict[str, str]) -> None:
        begun.append((tag, parser.CurrentByteIndex))

    def end(_: str) -> None:
        (tag, at), stop = begun.pop(), data.index(b">", parser.CurrentByteIndex) + 1
        if doomed(tag, data[at:stop]):
            spans.append((at, stop))

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.Parse(data, True)
    for at, stop in spans:
        data = data[:at] + re.sub(rb"[^\n]", b" ", data[at:stop]) + data[stop:]
    return data
