"""How the root of a loaded tree stands in the world."""

from __future__ import annotations

from anyjoint import joints
from anyjoint.joints import Joint

BASES = ("fixed", "free", "planar")


def base_joint(base: str) -> Joint:
    """The root's joint: a weld, free motion by a quaternion, or free motion in the X-Y plane."""
    return {"fixed": joints.Fixed(), "free": joints.FreeQuaternion(), "planar": joints.FreePlanar()}[base]
