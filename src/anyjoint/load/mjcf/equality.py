"""Equalities of an MJCF: joints that follow others become followers; other constraints are named."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..follow import Line, leaders
from ..request import Request
from .compiled import Names
from .joints import MjcfJoint

CONNECT, WELD, JOINT, TENDON = range(4)  # mjtEq
NEEDS = {CONNECT: "a loop that connects two bodies at a point", WELD: "a loop that welds two bodies"}


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
        else:
            _refuse(m, k, name, request, line)

    def complain(joint: str, message: str) -> None:
        request.report.error(line(joint), "equality", message)

    return leaders(follows, complain)


def _refuse(m: Any, k: int, name: str, request: Request, line: Any) -> None:
    """The one place to change once mechanisms have constraints: mech.add_loop and mech.add_constraint."""
    what = NEEDS.get(int(m.eq_type[k]), "a constraint between tendons, flexible bodies or distances")
    request.report.refuse(line(name), "unsupported", f"equality {name!r} needs {what}, which is not supported yet")


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
