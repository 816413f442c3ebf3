"""Equalities of an MJCF: joints that follow others, loops that connect or weld bodies; others are named."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from anyjoint.constraints import ConstraintFunction
from anyjoint.errors import AnyjointError
from anyjoint.forces import Drum
from anyjoint.forces.path import Item, Path, read_path
from anyjoint.frozen import frozen
from anyjoint.geometry.bernstein import horner
from anyjoint.mechanism import Mechanism
from anyjoint.mechanism.constraint_checks import carrier
from anyjoint.scalar import Scalar
from anyjoint.spatial import Pose, vector

from ..follow import Line, beyond, leaders
from ..request import Request
from .built import Built
from .compiled import Lines, MjModel, Names
from .joints import MjcfJoint
from .shapes import pose_of
from .tendons import Tendons
from .welded import welded

UNTURNED = (1.0, 0.0, 0.0, 0.0)
TORQUE_SCALE = 10  # where a weld has it

CONNECT, WELD, JOINT, TENDON = range(4)  # mjtEq
SITE = 6  # mjtObj


@frozen
class LoopSpec:
    """Two bodies of MuJoCo joined once more, at frames in them; a ball where only points meet."""

    name: str
    bodies: tuple[int, int]
    frames: tuple[Pose, Pose]
    ball: bool


def followers(
    m: MjModel, joints: Sequence[MjcfJoint], names: Names, request: Request, line: Lines
) -> dict[str, tuple[str, Line]]:
    """For each joint that follows another: its leader, and the line from the leader's coordinate to its own.

    MuJoCo pulls the two together by a soft constraint; here one follows the other exactly.
    """
    follows: dict[str, tuple[str, Line]] = {}
    for k in range(m.neq):
        name = names.of("equality", k)
        if not m.eq_active0[k]:
            request.report.note(line("equality", name), "equality", f"equality {name!r} is not active; not read")
        elif m.eq_type[k] == JOINT:
            _follow(m, k, name, joints, follows, request, line)
        elif m.eq_type[k] not in (CONNECT, WELD, TENDON):
            what = f"equality {name!r} needs a constraint between flexible bodies or distances, not supported"
            request.report.refuse(line("equality", name), "unsupported", what)

    def complain(joint: str, message: str) -> None:
        request.report.error(line("joint", joint), "equality", message)

    return leaders(follows, complain)


def tell_limits(
    following: Mapping[str, tuple[str, Line]], joints: Sequence[MjcfJoint], request: Request, line: Lines
) -> None:
    """Warn where a leader within its limits takes a follower out of its own."""
    limits = {joint.name: joint.limits for joint in joints}
    for name, (leader, way) in following.items():
        low, high = limits[name]
        if reach := beyond(way, limits[leader], (low, high)):
            what = f"joint {name!r} moves from {reach[0]:g} to {reach[1]:g} while {leader!r} keeps its limits"
            sentence = f"{what}; its own limits {low:g} to {high:g} are not kept"
            request.report.warn(line("joint", name), "limit", sentence)


def loops(m: MjModel, names: Names, request: Request, line: Lines) -> list[LoopSpec]:
    """The connections and welds; MuJoCo makes them soft, here they are exact."""
    made = [_loop(m, k, names) for k in range(m.neq) if m.eq_active0[k] and m.eq_type[k] in (CONNECT, WELD)]
    to = welded(m)
    holding = [loop for loop in made if len({int(to[k]) for k in loop.bodies}) == 2]
    for loop in made:
        if loop not in holding:
            what = f"equality {loop.name!r} joins two bodies between which nothing moves; not read"
            request.report.warn(line("equality", loop.name), "equality", what)
    return holding


def _loop(m: MjModel, k: int, names: Names) -> LoopSpec:
    first, second, data = int(m.eq_obj1id[k]), int(m.eq_obj2id[k]), m.eq_data[k]
    ball = bool(m.eq_type[k] == CONNECT or data[TORQUE_SCALE] == 0)  # a weld without torque holds a point
    if m.eq_objtype[k] == SITE:
        bodies = int(m.site_bodyid[first]), int(m.site_bodyid[second])
        frames = tuple(pose_of(m.site_pos[s], m.site_quat[s]) for s in (first, second))
    else:
        bodies = first, second
        # Of a weld the anchor is a point of the second body, and the frame to meet stands in the first.
        anchors = data[:3], data[3:6]
        weld = pose_of(data[3:6], data[6:10]), pose_of(data[:3], UNTURNED)
        frames = tuple(pose_of(x, UNTURNED) for x in anchors) if m.eq_type[k] == CONNECT else weld
    return LoopSpec(names.of("equality", k), bodies, (frames[0], frames[1]), ball)


def _follow(
    m: MjModel,
    k: int,
    name: str,
    joints: Sequence[MjcfJoint],
    follows: dict[str, tuple[str, Line]],
    request: Request,
    line: Lines,
) -> None:
    """q1 - ref1 = c0 + c1 (q2 - ref2) + ..., in the coordinates of the two joints."""
    first, second = joints[m.eq_obj1id[k]], m.eq_obj2id[k]
    c = [float(x) for x in m.eq_data[k][:5]]
    if not _straight(m, k):  # a row of its own
        return
    other = joints[second]
    # Either may follow the other; one that follows already leads instead.
    straight = Line(c[1], first.reference + c[0] - c[1] * other.reference)
    before, again = _joined(first.name, other.name, follows), f"equality {name!r} repeats another one"
    if before is not None and before.is_close(straight):
        what = f"{again} of joints {first.name!r} and {other.name!r}; it is not read"
        request.report.warn(line("equality", name), "equality", what)
    elif before is not None:
        message = f"{again} of joints {first.name!r} and {other.name!r} with other numbers; take one of the two out"
        request.report.refuse(line("equality", name), "unsupported", message)
    elif first.name not in follows:
        follows[first.name] = other.name, straight
    elif other.name not in follows:
        follows[other.name] = first.name, straight.inverse()
    else:
        message = f"equality {name!r} joins two joints that follow others already"
        request.report.refuse(line("equality", name), "unsupported", message)


def _joined(first: str, other: str, follows: Mapping[str, tuple[str, Line]]) -> Line | None:
    """The line from the other joint to the first, where one of them follows the other already."""
    if first in follows and follows[first][0] == other:
        return follows[first][1]
    return follows[other][1].inverse() if other in follows and follows[other][0] == first else None


def _straight(m: MjModel, k: int) -> bool:
    """Whether one joint follows another by a straight line."""
    return bool(m.eq_obj2id[k] >= 0 and m.eq_data[k][1] and not any(m.eq_data[k][2:5]))


def add_rows(mech: Mechanism, of: Built, tendons: Tendons) -> None:
    """Equalities that are no straight lines, and those of tendons, as rows; exact where MuJoCo's are soft."""
    m, report, line = of.m, of.request.report, of.line
    for k in range(m.neq):
        name, first, second = of.names.of("equality", k), int(m.eq_obj1id[k]), int(m.eq_obj2id[k])
        of_joints, pair = m.eq_type[k] == JOINT and not _straight(m, k), [first] + ([second] if second >= 0 else [])
        if not m.eq_active0[k] or not (of_joints or m.eq_type[k] == TENDON):
            continue
        if of_joints:
            items = [_drum(of.joints[j], of.moved, of.following) for j in pair]
        elif all(j in tendons.paths for j in pair):
            items = [(tendons.paths[j], float(m.tendon_length0[j])) for j in pair]
        else:
            what = f"equality {name!r} needs a tendon that is left out"
            report.refuse(line("equality", name), "unsupported", what)
            continue
        paths = [read_path(path, mech, f"equality {name!r}") for path, _ in items]
        bodies = list(dict.fromkeys(b for path in paths for b in path.bodies if b >= 0))
        places = list(dict.fromkeys(place for path in paths for place in path.coordinates))
        if not places and len({carrier(mech, b) for path in paths for b in path.bodies}) == 1:
            report.warn(line("equality", name), "equality", f"equality {name!r} is of lengths that stay; not read")
            continue
        zeros, coefficients = tuple(zero for _, zero in items), tuple(float(x) for x in m.eq_data[k][:5])
        row = Balance(tuple(paths), tuple(bodies), tuple(places), zeros, coefficients)
        touched = [mech.bodies[b] for b in bodies], [mech.bodies[b].coordinate_names[c] for b, c in places]
        try:
            mech.add_constraint(ConstraintFunction(row, False), *touched, name=name)
        except AnyjointError as error:
            report.error(line("equality", name), "equality", str(error))


def _drum(
    joint: MjcfJoint, moved: Mapping[str, str], following: Mapping[str, tuple[str, Line]]
) -> tuple[list[Item], float]:
    """A joint's coordinate as a path, and its reference."""
    leader, way = following.get(joint.name, (joint.name, Line(1.0)))
    return [Drum(moved[leader], way.slope, zero=-way.intercept / way.slope)], joint.reference


@frozen
class Balance:
    """One length follows another by a polynomial, both from where they are at rest: x - c0 - c1 y - c2 y^2 ... = 0."""

    paths: tuple[Path, ...]
    bodies: tuple[int, ...]
    places: tuple[tuple[int, int], ...]
    zeros: tuple[float, ...]
    coefficients: tuple[float, ...]

    def __call__(self, *given: Any) -> Scalar:
        lengths = []
        for path, zero in zip(self.paths, self.zeros, strict=True):
            poses = [given[self.bodies.index(b)] if b >= 0 else Pose() for b in path.bodies]
            own = [vector(*(given[-1][self.places.index(x)] for x in path.coordinates))] if path.coordinates else []
            lengths.append(path.measure(*poses, *own, vector(*path.numbers)) - zero)
        y: Scalar = lengths[1] if len(lengths) > 1 else 0.0
        return lengths[0] - horner(self.coefficients, y)
