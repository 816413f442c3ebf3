"""General contact: points, balls, capsules, boxes and meshes of a body against a signed distance on another.

What a body touches with is a few balls, of radius 0 for bare points, and for a capsule also its axis.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from anyjoint.constraints.touch import gradient
from anyjoint.errors import AnyjointError, ModelError
from anyjoint.frozen import frozen
from anyjoint.geometry import distances
from anyjoint.geometry.distances import Distance, HalfSpace, as_distance
from anyjoint.geometry.distances.distance import FunctionDistance
from anyjoint.scalar import is_real, reals
from anyjoint.scalar.array import Floats
from anyjoint.spatial import Pose, vector

from .constrain import body_index
from .shapes import Box, Capsule, Group, Mesh, Shape, Sphere

if TYPE_CHECKING:
    from .mechanism import Mechanism

Point = tuple[float, ...]
PROBES = 32  # points at which a distance must have a gradient
FLAT = 1e-9  # a gradient so small is none
SEARCHED, DESCENTS = 8, 30  # of these points, those from which its surface is searched for, and steps of each search
BESIDE, LEVEL = 1e-3, 1e-3  # metres; of the slope beside a surface: what slopes less there has no normal
EDGED = (distances.Box, distances.Cylinder)  # on which corners of boxes may come to lie on an edge
ROUNDED = 0.02  # of the shortest side: corners of boxes there


@frozen
class Ball:
    """What touches: a ball whose center may be anywhere between two points of the body's frame."""

    first: Point
    second: Point
    radius: float

    @property
    def long(self) -> bool:
        """Whether it is an axis with a radius."""
        return self.first != self.second


@frozen(eq=False)
class ContactPair:
    """A body's balls against a signed distance on another body (-1: the ground), and how they rub and give way.

    `stiffness` is in N/m, infinite for what is as stiff as steps can follow; `dissipation` in s/m, Hunt and Crossley's;
    `slip` is the speed at which friction is nearly all that it can be.
    """

    name: str
    body: int
    other: int
    balls: tuple[Ball, ...]
    distance: Distance
    at: Pose
    friction: float
    stiffness: float
    dissipation: float
    slip: float
    shape: Any = None  # what its balls were made of: shapes or points as given, None for those of the body


def contact_pair(
    mech: Mechanism, body: Any, shape: Any, on: Any, of: Any, at: Any, friction: Any, stiffness: Any, dissipation: Any,
    slip: Any, name: Any,
) -> ContactPair:  # fmt: skip
    """What a user described, checked."""
    first, second = body_index(mech, body, "add_contact"), body_index(mech, of, "add_contact")
    if first < 0:
        raise ModelError("add_contact: the ground does not move; name the body that touches it first")
    own = mech.bodies[first].name
    where = f"contact of {own!r}"
    if welded_pose(mech, first) is not None:
        raise ModelError(f"{where}: it is welded to the ground; name the body that touches it, with of={own!r}")
    if first == second:
        raise ModelError(f"{where}: a body does not touch itself; give another one, of=...")
    if at is not None and not isinstance(at, Pose):
        raise ModelError(f"{where}: at={at!r}; expected a Pose, where the distance stands on its body")
    distance = checked_distance(where, on)
    balls = checked_balls(where, mech.bodies[first].shapes if shape is None else shape, distance)
    numbers = (
        _number(where, "friction", friction, 0.0),
        math.inf if stiffness is None else _number(where, "stiffness", stiffness, 0.0, above=True),
        _number(where, "dissipation", dissipation, 0.0),
        _number(where, "slip", slip, 0.0, above=True),
    )
    beside = mech.ground.name if second < 0 else mech.bodies[second].name
    name = _fresh(mech, name, f"{own}-{beside}")
    return ContactPair(name, first, second, balls, distance, at or Pose(), *numbers, shape)


def welded_pose(mech: Mechanism, body: int) -> Pose | None:
    """Where a body is that is welded to the ground, or None if it moves; the ground is where it is."""
    pose = Pose()
    while body >= 0:
        own = mech.bodies[body]
        if own.joint.nv or own.joint.follows:
            return None
        pose, body = own.placement @ own.joint.pose([]) @ pose, own.parent
    return pose


def _fresh(mech: Mechanism, name: Any, default: str) -> str:
    taken = [pair.name for pair in mech.contacts]
    if name is None:
        return next(x for k in range(len(taken) + 1) if (x := default + (f" {k + 1}" if k else "")) not in taken)
    if not isinstance(name, str) or not name.strip() or name in taken:
        raise ModelError(f"add_contact: name={name!r}; expected a text that no other contact has")
    return name


def _number(where: str, name: str, value: Any, least: float, above: bool = False) -> float:
    if not is_real(value) or not least <= float(value) < math.inf or (above and float(value) == least):
        wanted = "positive" if above else "not negative"
        raise ModelError(f"{where}: {name}={value!r}; expected a finite number that is {wanted}")
    return float(value)


# -- what touches ----------------------------------------------------------------------------------------------------


def checked_balls(where: str, given: Any, distance: Distance) -> tuple[Ball, ...]:
    """The balls of shapes, or of points."""
    shapes = list(given) if isinstance(given, (list, tuple)) else [given]
    if shapes and all(isinstance(shape, Shape) for shape in shapes):
        made = [ball for shape in shapes for ball in _of_shape(where, shape, Pose(), distance)]
        if not made:
            raise ModelError(f"{where}: it touches with {given!r}, in which there is nothing; give shapes or points")
        return tuple(dict.fromkeys(made))
    try:
        points = np.atleast_2d(reals(given))
    except (TypeError, ValueError):
        points = np.zeros((0, 0))
    if points.ndim != 2 or points.shape[1] != 3 or not len(points) or not np.isfinite(points).all():
        raise ModelError(
            f"{where}: it touches with {given!r}; expected shapes.Sphere, Capsule, Box or Mesh, or points (n, 3)"
        )
    return tuple(_ball(point, 0.0) for point in points)


def _of_shape(where: str, shape: Shape, frame: Pose, distance: Distance) -> list[Ball]:
    frame = frame @ shape.pose if shape.pose is not None else frame
    match shape:
        case Sphere(radius=radius):
            return [_ball(frame.act((0, 0, 0)), radius)]
        case Capsule(radius=radius, length=length):
            ends = [frame.act((0, 0, side * length / 2)) for side in (-1, 1)]
            flat = isinstance(distance, HalfSpace)  # which no axis meets before its ends do
            along = [] if flat else [Ball(_floats(ends[0]), _floats(ends[1]), radius)]
            return [*(_ball(end, radius) for end in ends), *along]
        case Box(x=x, y=y, z=z):
            # A sharp corner right on an edge, as in a stack of equal boxes, would not know which way is out.
            radius = ROUNDED * min(x, y, z) if isinstance(distance, EDGED) else 0.0
            half = [side / 2 - radius for side in (x, y, z)]
            return [_ball(frame.act(corner), radius) for corner in product(*((-side, side) for side in half))]
        case Mesh(vertices=vertices):
            return [_ball(frame.act(point), 0.0) for point in vertices]
        case Group(parts=parts):
            return [ball for part in parts for ball in _of_shape(where, part, frame, distance)]
    kind = type(shape).__name__
    raise ModelError(f"{where}: a {kind} does not touch; give a Sphere, Capsule, Box or Mesh, or some of its points")


def _ball(point: Any, radius: float) -> Ball:
    return Ball(_floats(point), _floats(point), float(radius))


def _floats(point: Any) -> Point:
    return tuple(float(x) for x in point)


# -- what is touched ---------------------------------------------------------------------------------------------------


def checked_distance(where: str, given: Any) -> Distance:
    """A signed distance whose gradient does not vanish; level ground if none is given."""
    if given is None:
        return HalfSpace()
    if not isinstance(given, Distance) and not callable(given):
        raise ModelError(
            f"{where}: on={given!r}; expected a signed distance of anyjoint.distances, or a function of a point"
        )
    made = as_distance(given)
    name = made.name if isinstance(made, FunctionDistance) else type(made).__name__
    points = np.random.default_rng(7).normal(size=(PROBES, 3)) * np.geomspace(0.03, 3.0, PROBES)[:, None]
    for k, p in enumerate(points):
        try:
            value, slope = gradient(made, vector(*p))
        except AnyjointError as error:
            raise ModelError(f"{where}: {error}") from error
        found = np.array([value, *slope], dtype=float)
        at = ", ".join(f"{x:.3g}" for x in p)
        if not np.isfinite(found).all():
            raise ModelError(f"{where}: {name} or its gradient is not finite at ({at}); guard roots and divisions")
        if np.linalg.norm(found[1:]) < FLAT:
            raise ModelError(
                f"{where}: the gradient of {name} vanishes at ({at}), so that there is no normal; expected a function"
                " that grows on the way out, everywhere"
            )
        if isinstance(made, FunctionDistance) and k < SEARCHED and _levels_out(made, p):
            raise ModelError(
                f"{where}: the gradient of {name} vanishes on its surface, found from ({at}), so that there is no"
                " normal; expected a function that passes through 0 there, as a distance does"
            )
    return made


def _levels_out(distance: Distance, p: Floats) -> bool:
    """Whether a function has no slope where it is 0, as squares have not: the place is searched for from p."""

    def sight(x: Floats) -> tuple[float, Floats]:
        value, slope = gradient(distance, vector(*x))
        return float(value), np.array(slope, dtype=float)

    x, ahead = np.array(p), np.zeros(3)
    try:
        for _ in range(DESCENTS):
            value, slope = sight(x)
            ahead = value / (slope @ slope) * slope
            x = x - ahead
        normal = slope / np.linalg.norm(slope)
        below, here, above = (float(np.linalg.norm(sight(x + k * BESIDE * normal)[1])) for k in (-1, 0, 1))
    except (AnyjointError, ArithmeticError):  # what is not defined there is told where it is met
        return False
    return float(np.linalg.norm(ahead)) < BESIDE and here < LEVEL * min(below, above)


def pose_numbers(pose: Pose) -> Sequence[float]:
    """Rotation by rows, then the origin."""
    T = np.asarray(pose.matrix, dtype=float)
    return [*T[:3, :3].ravel().tolist(), *T[:3, 3].tolist()]
