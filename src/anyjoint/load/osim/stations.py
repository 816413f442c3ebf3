"""Frames of an .osim that points of a body span, as files since version 4.6 have them, made offset frames of it."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping

import numpy as np

from anyjoint.spatial import Matrix, Vector

from ..markup import Element
from ..numbers import shortened
from .frames import ZERO, Shared, end, shared_frames
from .values import Values, last_name

TAG, STATIONS = "StationDefinedFrame", ("Station", "Marker")
SOCKETS = ("point_a", "point_b", "point_c", "origin_point")
AXES = {sign + letter: (k, -1.0 if sign == "-" else 1.0) for k, letter in enumerate("xyz") for sign in ("", "+", "-")}
DEEPEST = 20  # frames on points of frames on points ...
THIN = 1e-12  # of a triangle, relative to its sides


def settle_stations(model: Element, bodies: Collection[str], values: Values) -> None:
    """Make each such frame an offset frame of its body; points may be on frames that are settled before."""
    waiting = [part for part in model.walk() if part.tag == TAG]
    stations = dict[str, Element]()
    for part in model.walk() if waiting else ():
        if part.tag in STATIONS:
            stations.setdefault(part.attributes.get("name", ""), part)
    for _ in range(DEEPEST if waiting else 0):
        shared = shared_frames(model)
        waiting = [frame for frame in waiting if not _settled(frame, stations, bodies, shared, values)]
    for frame in waiting:
        name = frame.attributes.get("name", "")
        what = f"frame {name!r}: its four points must be stations of one body of the file"
        values.report.error(frame.line, "reference", what)


def _settled(
    frame: Element, stations: Mapping[str, Element], bodies: Collection[str], shared: Shared, values: Values
) -> bool:
    """Whether all of its points are on a body by now; the frame is on it then, too."""
    owners, points = set[str](), list[Vector]()
    for socket in SOCKETS:
        station = stations.get(last_name(values.text(frame, f"socket_{socket}")))
        if station is None:
            return False
        owner, place = end(station, "parent_frame", shared, values)
        owners.add(owner)
        points.append(np.array(place.act(values.numbers(station, "location", ZERO, 3)), dtype=float))
    if len(owners) != 1 or not owners <= {*bodies, "ground"}:
        return False
    a, b, c, origin = points
    turn = _turned(frame, b - a, c - a, values)
    where = {"socket_parent": owners.pop(), "translation": _row(origin), "orientation": _row(_angles(turn))}
    frame.tag = "PhysicalOffsetFrame"
    frame.children[:0] = [Element(tag, {}, frame.line, pieces=[text]) for tag, text in where.items()]
    return True


def _turned(frame: Element, ab: Vector, ac: Vector, values: Values) -> Matrix:
    """The frame's axes: one along ab, one along ab x ac."""
    name, across, told = frame.attributes.get("name", ""), np.cross(ab, ac), values.report.error
    if not np.linalg.norm(across) > THIN * np.linalg.norm(ab) * np.linalg.norm(ac):
        told(frame.line, "axis", f"frame {name!r}: its points a, b and c must not be on one line")
        return np.eye(3)
    words = [values.text(frame, tag).lower() or usual for tag, usual in (("ab_axis", "+x"), ("ab_x_ac_axis", "+y"))]
    (i, first), (j, second) = (AXES.get(word, (0, 1.0)) for word in words)
    if i == j or not AXES.keys() >= {*words}:
        given = f"<ab_axis> {shortened(words[0])!r} and <ab_x_ac_axis> {shortened(words[1])!r}"
        told(frame.line, "axis", f"frame {name!r}: {given} must be two of x, y and z, with + or - before them")
        return np.eye(3)
    R, k = np.zeros((3, 3)), 3 - i - j
    R[:, i], R[:, j] = first * ab / np.linalg.norm(ab), second * across / np.linalg.norm(across)
    R[:, k] = np.cross(R[:, (k + 1) % 3], R[:, (k + 2) % 3])
    return R


def _angles(R: Matrix) -> list[float]:
    """Turns about x, y and z of its own that make a rotation; where two of the axes meet, any that do."""
    x = math.atan2(-R[1, 2], R[2, 2])
    y = math.atan2(R[0, 2], math.hypot(R[0, 0], R[0, 1]))
    last = math.cos(x) * R[1] + math.sin(x) * R[2]  # a row of what is left after the first turn: sin z, cos z, 0
    return [x, y, math.atan2(last[0], last[1])]


def _row(numbers: Collection[float]) -> str:
    return " ".join(repr(float(x)) for x in numbers)
