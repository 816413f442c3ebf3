"""Equalities of an MJCF: joints that follow others, loops that connect or weld bodies; others are named."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from anyjoint.spatial import Pose

from ..follow import Line, leaders
from ..request import Request
from .compiled import Names
from .joints import MjcfJoint
from .shapes import pose_of

UNTURNED = (1.0, 0.0, 0.0, 0.0)

CONNECT, WELD, JOINT, TENDON = range(4)  # mjtEq
SITE = 6  # mjtObj


@dataclass(frozen=True)
class LoopSpec:
    """Two bodies of MuJoCo joined once more, at frames in them; a ball where only points meet."""

    name: str
    bodies: tuple[int, int]
    frames: tuple[Pose, Pose]
    ball: bool


def followers(
    m: Any, joints: Sequence[MjcfJoint], names: Names, request: Request, line: Any
) -> dict[str, tuple[str, Line]]:
    """For each joint that follows another: its leader, and the line from the leader's coordinate to its own.

    MuJoCo pulls the two together by a soft constraint; here one follows the other exactly.
    """
    follows: dict[str, tuple[str, Line]] = {}
    for k in range(m.neq):
        name = names.of("equality", k)
        if not m.eq_active0[k]:
            request.report.note(line(name), "equality", f"equality {name!r} is not active; not read")
        elif m.eq_type[k] == JOINT:
            _follow(m, k, name, joints, follows, request, line)
        elif m.eq_type[k] not in (CONNECT, WELD):
            what = "a constraint between tendons, flexible bodies or distances"
            request.report.refuse(line(name), "unsupported", f"equality {name!r} needs {what}, not supported yet")

    def complain(joint: str, message: str) -> None:
        request.report.error(line(joint), "equality", message)

    return leaders(follows, complain)


def loops(m: Any, names: Names) -> list[LoopSpec]:
    """The connections and welds; MuJoCo makes them soft, here they are exact."""
    return [_loop(m, k, names) for k in range(m.neq) if m.eq_active0[k] and m.eq_type[k] in (CONNECT, WELD)]


def _loop(m: Any, k: int, names: Names) -> LoopSpec:
    first, second, data = int(m.eq_obj1id[k]), int(m.eq_obj2id[k]), m.eq_data[k]
    ball = bool(m.eq_type[k] == CONNECT)
    if m.eq_objtype[k] == SITE:
        bodies = int(m.site_bodyid[first]), int(m.site_bodyid[second])
        frames = tuple(pose_of(m.site_pos[s], m.site_quat[s]) for s in (first, second))
    else:
        bodies = first, second
        # Of a weld the anchor is a point of the second body, and the frame to meet stands in the first.
        anchors = data[:3], data[3:6]
        weld = pose_of(data[3:6], data[6:10]), pose_of(data[:3], UNTURNED)
        frames = tuple(pose_of(x, UNTURNED) for x in anchors) if ball else weld
    return LoopSpec(names.of("equality", k), bodies, (frames[0], frames[1]), ball)


def _follow(
    m: Any,
    k: int,
    name: str,
    joints: Sequence[MjcfJoint],
    follows: dict[str, tuple[str, Line]],
    request: Request,
    line: Any,
) -> None:
    """q1 - ref1 = c0 + c1 (q2 - ref2) + ..., in the coordinates of the two joints."""
    first, second = joints[m.eq_obj1id[k]], m.eq_obj2id[k]
    c = [float(x) for x in m.eq_data[k][:5]]
    refuse = request.report.refuse
    if second < 0 or any(c[2:]) or not c[1]:
        what = "a joint held at a value" if second < 0 or not any(c[1:]) else "a joint that follows by a polynomial"
        refuse(line(name), "unsupported", f"equality {name!r} needs {what}, which is not supported yet")
        return
    other = joints[second]
    if not (first.single and other.single):
        refuse(line(name), "unsupported", f"equality {name!r} joins joints that are neither hinges nor slides")
        return
    # Either may follow the other; one that follows already leads instead.
    straight = Line(c[1], first.reference + c[0] - c[1] * other.reference)
    if first.name not in follows:
        follows[first.name] = other.name, straight
    elif other.name not in follows:
        follows[other.name] = first.name, Line(1 / c[1], -straight.intercept / c[1])
    else:
        refuse(line(name), "unsupported", f"equality {name!r} joins two joints that follow others already")
