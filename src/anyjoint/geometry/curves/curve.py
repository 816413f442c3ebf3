"""What a curve is: a point of one parameter, with three kinds of frames along it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from anyjoint.errors import InputError, SingularityError
from anyjoint.scalar import Scalar, derivative
from anyjoint.spatial import Pose, Vector, cross, dot, vector

from ..arc_length import ArcLength, arc_length_of
from ..check import EVERYWHERE
from ..frame import FrenetTurn, framed, known_rotation, place, rotation, unit, vanishes
from ..transport import Reference, transported

FRAMES = ("frenet", "fixed-up", "rotation-minimising")
ALIASES = {"transport": "rotation-minimising"}


def in_a_plane(points: Any) -> bool:
    """Whether control points, and so the curve, lie in a plane."""
    table = np.array(points)
    return bool(np.linalg.matrix_rank(table - table[0], tol=1e-12 * np.abs(table).max()) < 3)


def still(name: str, s: Scalar) -> str:
    """What to say where the tangent vanishes."""
    return f"the curve {name} stands still{place(s=s)}, so it has no tangent there; reparametrise it"


def straight(name: str, s: Scalar) -> str:
    """What to say where the curvature vanishes."""
    remedy = 'use frame="transport" (rotation minimising) or frame="fixed-up"'
    return f"the curvature of {name} vanishes{place(s=s)}, where a Frenet frame has no normal; {remedy}"


def upright(name: str, s: Scalar, up: Sequence[float]) -> str:
    """What to say where the tangent is along the up direction."""
    remedy = 'choose another up, or use frame="transport" (rotation minimising)'
    return f"the tangent of {name}{place(s=s)} is along up = {tuple(up)}; {remedy}"


class Curve:
    """Base of every curve. A subclass gives `point(s)`; closed-form frames make it cheaper.

    Frames are [tangent, principal normal, binormal] for Frenet, [tangent, up x tangent, up made perpendicular] for
    fixed-up, and [tangent, r, tangent x r] with r not turning about the tangent for rotation-minimising.
    """

    domain: tuple[float, float] = (-math.pi, math.pi)
    period: float | None = None
    defined: tuple[float, float] = EVERYWHERE  # the curve ends there, as open splines do
    continuity: float = math.inf  # so many derivatives are continuous everywhere
    planar: bool = False  # known to lie in a plane

    def carries(self, frame: str) -> bool:
        """Whether the twist of a frame that rides along is continuous: else energy would jump where derivatives do."""
        turning = frame == "frenet" and not self.planar  # about the tangent, by the third derivative
        return self.continuity >= (3 if turning else 2)

    @property
    def tabulated(self) -> tuple[float, float]:
        """Where tables made along the curve hold: its transported frame and its arc length."""
        return self.domain if self.period is None else self.defined

    def point(self, s: Scalar) -> Vector:
        """The point of the curve at s."""
        raise TypeError(f"{type(self).__name__} does not say where its points are")

    def velocity(self, s: Scalar) -> Vector:
        """d point / d s."""
        return vector(*derivative(lambda x: list(self.point(x)), s))

    def tangent(self, s: Scalar) -> Vector:
        """The unit tangent."""
        return unit(self.velocity(s), still(self.name, s))

    def frenet(self, s: Scalar) -> Pose:
        """The Frenet frame [tangent, principal normal, binormal] [GL section 5: b, p, n]."""
        bend = self.bend(s)
        b = unit(self.velocity(s), still(self.name, s))
        n = unit(bend, straight(self.name, s))
        turn = FrenetTurn(rotation(b, cross(n, b), n), (bend,), bend, self.name)
        return Pose.translation(*self.point(s)) @ Pose((turn,))

    def bend(self, s: Scalar) -> Vector:
        """f' x f'', along the binormal; it vanishes with the curvature."""
        return cross(self.velocity(s), derivative(lambda x: list(self.velocity(x)), s))

    def fixed_up(self, s: Scalar, up: Sequence[float] = (0.0, 0.0, 1.0)) -> Pose:
        """The frame whose third axis is as near to `up` as the tangent allows; it never flips at inflections."""
        t = self.tangent(s)
        across = cross(up, t)
        side = unit(across, upright(self.name, s, up))
        return framed(t, side, cross(t, side), self.point(s), across, self.velocity(s))

    def rotation_minimising(self, s: Scalar) -> Pose:
        """The frame that does not turn about the tangent (a closed curve's closes up by a steady small turn)."""
        t = self.tangent(s)
        r = vector(*self.reference(s))
        r = unit(r - t * dot(r, t))
        return framed(t, r, cross(t, r), self.point(s), self.velocity(s))

    @cached_property
    def reference(self) -> Reference:
        """The transported second axis, as a spline over the domain."""
        return transported(self.point, self.tangent, self.domain, closed=self.period is not None)

    def in_plane(self, s: Scalar) -> Pose:
        """For a curve in the X-Y plane: Trans(point) Rot_z(direction), x along the tangent and y to its left."""
        t = self.tangent(s)
        return Pose.translation(*self.point(s)) @ known_rotation(2, t[1], t[0])

    def arc_length(self, s: Scalar) -> Scalar:
        """The length from the start of the domain to s, negative before it."""
        return self.arc_table(s)

    @cached_property
    def arc_table(self) -> ArcLength:
        """The arc length as a table of quintics."""
        return arc_length_of(self.velocity, self.domain, closed=self.period is not None)

    def singularity(self, s: float, frame: str = "frenet", up: Sequence[float] = (0.0, 0.0, 1.0)) -> str | None:
        """A sentence if the frame breaks down at s, else None."""
        try:
            if vanishes(self.velocity, s):
                return still(self.name, s)
            if frame == "frenet" and vanishes(self.bend, s):
                return straight(self.name, s)
            if frame == "fixed-up" and vanishes(lambda x: cross(up, self.velocity(x)), s):
                return upright(self.name, s, up)
        except SingularityError as error:
            return str(error)
        return None

    @property
    def name(self) -> str:
        """How the curve is called in messages."""
        return type(self).__name__

    def polyline(self, n: int = 200) -> np.ndarray[Any, np.dtype[Any]]:
        """n + 1 points over the domain for drawing, array (n + 1, 3)."""
        if n < 1:
            raise InputError(f"polyline({n}) of {self.name}: at least one piece is needed")
        return np.array([[float(x) for x in self.point(float(s))] for s in np.linspace(*self.domain, n + 1)])
