"""The pose that an element's <origin> gives."""

from __future__ import annotations

from anyjoint.spatial import Pose

from ..markup import Element
from ..numbers import NumberReader


def origin(element: Element, numbers: NumberReader) -> Pose:
    """Turned by roll, pitch and yaw, then shifted; the identity where there is no <origin>."""
    found = element.find("origin")
    if found is None:
        return Pose()
    xyz, rpy = (numbers.vector(found, name, (0.0, 0.0, 0.0)) for name in ("xyz", "rpy"))
    shift = Pose.translation(*xyz) if any(xyz) else Pose()
    return shift @ Pose.rpy(*rpy) if any(rpy) else shift
