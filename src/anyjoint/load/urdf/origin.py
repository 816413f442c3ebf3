"""The pose that an element's <origin> gives."""

from __future__ import annotations

from anyjoint.spatial import Pose

from ..markup import Element
from ..numbers import NumberReader

NONE, UNTURNED = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0)


def origin(element: Element, numbers: NumberReader) -> Pose:
    """Turned by roll, pitch and yaw, or by a quaternion, then shifted; the identity where there is no <origin>."""
    found = element.find("origin")
    if found is None:
        return Pose()
    xyz = numbers.vector(found, "xyz", NONE)
    shift = Pose.translation(*xyz) if any(xyz) else Pose()
    return shift @ _turn(found, numbers)


def _turn(found: Element, numbers: NumberReader) -> Pose:
    """Version 1.1 has quaternions, the real part last."""
    rpy, (x, y, z, w) = numbers.vector(found, "rpy", NONE), numbers.vector(found, "quat_xyzw", UNTURNED)
    if {"rpy", "quat_xyzw"} <= found.attributes.keys():
        numbers.report.error(found.line, "origin", "<origin> has both 'rpy' and 'quat_xyzw'; give one of them")
    elif not any((x, y, z, w)):
        numbers.report.error(found.line, "origin", "<origin quat_xyzw='0 0 0 0'> has no direction; give '0 0 0 1'")
    elif any((x, y, z)):
        return Pose.quaternion(w, x, y, z)
    return Pose.rpy(*rpy) if any(rpy) else Pose()
