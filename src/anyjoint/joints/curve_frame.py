"""Which frame rides along a curve, and the coordinate that says where."""

from collections.abc import Sequence

import numpy as np

from anyjoint.errors import InputError
from anyjoint.geometry.curves import ALIASES, FRAMES, Curve
from anyjoint.scalar import Scalar, is_number
from anyjoint.spatial import Pose

from .joint import Coordinate


def curve_frame(curve: Curve, frame: str, up: Sequence[float], s: Scalar) -> Pose:
    """The chosen frame of a curve at s."""
    if frame == "frenet":
        return curve.frenet(s)
    if frame == "fixed-up":
        return curve.fixed_up(s, up)
    return curve.rotation_minimising(s)


def curve_coordinate(curve: Curve, frame: str, name: str, wrap: bool) -> Coordinate:
    """The coordinate that is a curve's parameter, with its domain and period."""
    lo, hi = curve.domain
    return Coordinate(
        name, domain=(lo, hi), period=curve.period, neutral=(lo + hi) / 2, unit="",
        wrap=wrap and curve.period is not None,
        defined=curve.tabulated if frame == "rotation-minimising" else curve.defined,
    )  # fmt: skip


def known_frame(owner: str, frame: str) -> str:
    """The name of a frame, short names spelled out."""
    name = ALIASES.get(frame, frame)
    if name not in FRAMES:
        raise InputError(f"{owner}(frame={frame!r}): expected one of {', '.join(map(repr, (*FRAMES, *ALIASES)))}")
    return name


def check_frame(owner: str, curve: Curve, frame: str, up: Sequence[float]) -> None:
    """Refuse frames that exist nowhere along the curve (Frenet on a straight line), or turn by jumps."""
    if not curve.carries(frame):
        raise InputError(
            f"{owner}(frame={frame!r}): the curve {curve.name} has {curve.continuity:g} continuous derivatives, so the "
            "angular velocity of this frame jumps where its pieces meet, and energy with it; "
            'use frame="transport" (rotation minimising) or frame="fixed-up", or a smoother curve, such as '
            "curves.BSpline(points, degree=5)"
        )
    lo, hi = curve.domain
    found = None
    for s in np.linspace(lo, hi, 7)[1:-1] + 0.013 * (hi - lo):
        if not all(is_number(x) for x in curve.point(float(s))):
            return
        found = curve.singularity(float(s), frame, up)
        if found is None:
            return
    raise InputError(f"{owner}: {found}")
