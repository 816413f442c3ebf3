"""Named frames: poses that ride on bodies, such as the tip of a tool, a site, a marker."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np

from anyjoint.errors import AnyjointError, InputError, ModelError
from anyjoint.frozen import frozen
from anyjoint.options import nearest
from anyjoint.scalar import reals
from anyjoint.spatial import Pose

from .body import Body, Ground

if TYPE_CHECKING:
    from anyjoint.scalar.array import ArrayLike

    from .mechanism import Mechanism

HERE = Pose()
# Itself, its name or "body/name", a body, or (body, point or pose).
WhichFrame: TypeAlias = "Frame | Body | Ground | str | tuple[Body | Ground | str | None, Pose | ArrayLike]"


@frozen
class Frame:
    """A pose in the frame of a body; `body` is an index into `mech.bodies`, -1 for the ground."""

    name: str
    body: int
    pose: Pose


def add_frame(mech: Mechanism, name: str, body: Body | Ground | str | None, pose: Pose) -> Frame:
    """Give a pose of a body a name that no other frame and no body has."""
    if not isinstance(name, str) or not name.strip():
        raise ModelError(f"mechanism {mech.name!r}: a frame's name must be a non-empty text, got {name!r}")
    if name in mech or name == mech.ground.name or any(name in owner.frames for owner in owners(mech)):
        raise ModelError(f"mechanism {mech.name!r}: there is already a frame or body {name!r}; give each its own name")
    if not isinstance(pose, Pose):
        example = "aj.Pose.translation(x, y, z)"
        raise ModelError(f"frame {name!r}: pose must be an aj.Pose such as {example}, got {type(pose).__name__}")
    if body is None or body == mech.ground.name:
        body = mech.ground
    owner = mech[body] if isinstance(body, str) else body
    if not any(owner is known for known in owners(mech)):
        raise ModelError(f"frame {name!r}: {body!r} is no body of {mech.name!r}; give a body, its name, or mech.ground")
    # In place: the body stays the same one, which callers hold, and compiled models know the frame as well.
    cast("MutableMapping[str, Pose]", owner.frames)[name] = pose
    return Frame(name, owner.index, pose)


def owners(mech: Mechanism) -> list[Body | Ground]:
    """All that frames can ride on."""
    return [mech.ground, *mech.bodies]


def find_frame(mech: Mechanism, frame: WhichFrame, where: str) -> Frame:
    """The frame that is meant: a Frame, its name, "body/name", a body, or (body, point or pose)."""
    if isinstance(frame, Frame):
        return _own(mech, frame, where)
    if isinstance(frame, Body) and any(body is frame for body in mech.bodies[frame.index : frame.index + 1]):
        return Frame(frame.name, frame.index, HERE)
    if isinstance(frame, (Body, Ground)):
        frame = frame.name
    if isinstance(frame, (tuple, list)) and len(frame) == 2:
        owner = find_frame(mech, mech.ground if frame[0] is None else frame[0], where)
        return Frame(owner.name, owner.body, owner.pose @ as_pose(frame[1], where))
    if not isinstance(frame, str):
        expected = "the name of a frame or body, or (body, point)"
        raise InputError(f"{where}: {frame!r} is no frame; expected {expected}")
    return _named(mech, frame, where)


def _own(mech: Mechanism, frame: Frame, where: str) -> Frame:
    """A frame that was given as itself; refuses one of another mechanism, which has other bodies by the same number."""
    known = owners(mech)[frame.body + 1].frames.get(frame.name) if frame.body < mech.nb else None
    if known is None or not np.array_equal(known.matrix, frame.pose.matrix):
        raise InputError(f"{where}: frame {frame.name!r} is one of another mechanism than {mech.name!r}; add it there")
    return frame


def as_pose(place: Any, where: str, error: type[AnyjointError] = InputError) -> Pose:
    """A place on a body, given as a point or as a pose."""
    if isinstance(place, Pose):
        return place
    try:
        point = reals(place)
    except (TypeError, ValueError):
        point = np.empty(0)
    if point.shape != (3,) or not np.isfinite(point).all():
        raise error(f"{where}: {place!r} is no place on a body; give three finite numbers or an aj.Pose")
    return Pose.translation(*(float(x) for x in point))


def _named(mech: Mechanism, name: str, where: str) -> Frame:
    found = [Frame(name, x.index, x.frames[name]) for x in owners(mech) if name in x.frames]
    if not found:
        body, _, own = name.rpartition("/")
        found = [Frame(name, x.index, x.frames[own]) for x in owners(mech) if x.name == body and own in x.frames]
    if len(found) == 1:
        return found[0]
    if found:
        riders = ", ".join(repr(f"{owners(mech)[x.body + 1].name}/{name}") for x in found)
        raise InputError(f"{where}: several bodies have a frame {name!r}; say which one: {riders}")
    if name in mech or name == mech.ground.name:
        return Frame(name, mech[name].index if name in mech else -1, HERE)
    known = [*(n for x in owners(mech) for n in x.frames), *(body.name for body in mech.bodies)]
    hint = nearest(name, known) if known else "; add it by mech.add_frame(name, body, pose)"
    raise InputError(f"{where}: mechanism {mech.name!r} has no frame or body {name!r}{hint}")
