"""Joints of a URDF that mimic others: each follows the joint that leads in the end, which feels what they feel."""

from __future__ import annotations

from collections.abc import Mapping

from anyjoint.options import meant

from ..follow import Felt, Line, beyond, leaders
from ..report import Report
from .joints import SINGLE, UrdfJoint


def followers(joints: Mapping[str, UrdfJoint], report: Report) -> dict[str, tuple[str, Line]]:
    """For each joint that follows: its leader, and the line from the leader's coordinate to its own."""
    follows = {}
    for name, joint in joints.items():
        if joint.mimic is None:
            continue
        line, leader = joint.mimic.line, joint.mimic.joint
        if joint.type == "fixed":
            report.note(line, "mimic", f"joint {name!r} is fixed; that it mimics {leader!r} moves nothing")
        elif leader not in joints:
            report.refuse(line, "mimic", f"joint {name!r}: there is no joint {leader!r}{meant(leader, joints)}")
        elif joint.type not in SINGLE or joints[leader].type not in SINGLE:
            report.refuse(line, "mimic", f"joint {name!r} mimics {leader!r}: both must turn or slide by one coordinate")
        else:
            follows[name] = leader, Line(joint.mimic.multiplier, joint.mimic.offset)

    def complain(name: str, message: str) -> None:
        report.error(joints[name].line, "mimic", message)

    return leaders(follows, complain)


def felt(joints: Mapping[str, UrdfJoint], following: Mapping[str, tuple[str, Line]]) -> dict[str, Felt]:
    """Damping and friction of every joint with what its followers bring."""
    own = {name: Felt(damping=joint.damping, friction=joint.friction) for name, joint in joints.items()}
    total = dict(own)
    for name, (leader, line) in following.items():
        total[leader] = total[leader] + own[name].reflected(line)
    return total


def check_ranges(joints: Mapping[str, UrdfJoint], following: Mapping[str, tuple[str, Line]], report: Report) -> None:
    """Warn where a leader within its limits takes a follower out of its own; of velocities, which bind no run, note."""
    for name, (leader, line) in following.items():
        low, high = joints[name].limits
        if reach := beyond(line, joints[leader].limits, (low, high)):
            message = f"joint {name!r} moves from {reach[0]:g} to {reach[1]:g} while {leader!r} keeps its limits"
            report.warn(joints[name].line, "limit", f"{message}; its own limits {low:g} to {high:g} are not kept")
        speed = abs(line.slope) * joints[leader].velocity
        if speed > joints[name].velocity * (1 + 1e-6):
            message = f"joint {name!r} moves at up to {speed:g} while {leader!r} keeps its velocity"
            report.note(joints[name].line, "limit", f"{message}; its own, {joints[name].velocity:g}, is kept nowhere")
