"""A point of contact: a ball (or a bare point) on one body against a signed distance on another, or on the ground.

Any function which is negative inside will do, whose gradient, by D*, is the normal. A capsule touches where the
distance is least along its axis.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar, jet, less, maximum, select, sqrt
from anyjoint.spatial import Matrix, Pose, Translation, Turn, Vector, cross, dot, vector, zeros

from .push import Scalars
from .resistance import Begun, Resistance, firmness, pushing, rubbing
from .rows import Touched

Distance = Callable[[Vector], Scalar]  # of a point: negative inside
FRAME = 12  # numbers of a pose
SHOWN = 9  # numbers of a point of contact among results: where it is, its normal, the force there
HALVINGS = 7  # of a capsule's axis, before a secant
SLIDES = 5  # along the surface of a plain function to where it is nearest
FORESEEN, AXIAL = 2, 3  # the same half a step ahead, and along an axis that is halved
# Foreseen is half a step in which neither a normal turns by more than this cosine, as at edges, nor links by these rad.
STEADY, TURNS = 0.9, 0.5
TINY = 1e-36


@frozen(eq=False, kw_only=True)
class Touch(Resistance):
    """A ball of the first body against a distance of the second.

    Its numbers: the two ends of a capsule's axis (a ball has both in one place), the radius, the pose of the distance
    on its body, friction, stiffness, dissipation, slip, mass.
    """

    distance: Distance
    long: bool = False  # whether the ends differ

    @property
    def rows(self) -> int:
        """Along the normal, and along two tangents."""
        return 3

    @property
    def kind(self) -> Hashable:
        return *super().kind, self.distance, self.long  # type: ignore[misc]

    def begin(self, bodies: Sequence[Touched], q: Scalars, qd: Scalars, numbers: Scalars, h: Scalar) -> Begun:
        moving = iter(bodies)
        a, b = (next(moving) if body >= 0 else None for body in self.bodies)
        *_, friction, stiffness, dissipation, slip, mass = numbers
        frame = _pose(b) @ pose_of(numbers[7 : 7 + FRAME])
        center = self._center(_pose(a), frame, numbers)
        gap, point, normal = self._seen(frame, center, numbers[6])
        axes = [normal, *tangents(normal)]
        K = [_along(axes, point, body, sign) for body, sign in ((a, 1), (b, -1)) if body is not None]
        twists = [[*body.w, *body.u] for body in bodies]
        u = [sum((dot(k[:, i], twist) for k, twist in zip(K, twists, strict=True)), 0.0) for i in range(3)]
        k = firmness(stiffness, mass, h)
        f0 = -k * gap
        later, steady = self._later(a, b, frame.act(list(center)), axes, numbers, 0.5 * h)
        most = friction * pushing(u[0], f0, 0.0, dissipation)
        data = [f0, h * k, dissipation, most, slip, friction, steady]
        ahead = [x - y for x, y in zip(later, u, strict=True)]
        return Begun(K, [], u, data, [*point, *normal, *axes[1], *axes[2]], ahead)

    def law(self, u: Scalars, data: Scalars) -> list[Scalar]:
        f0, hk, d, most, slip, *_ = data
        return [pushing(u[0], f0, hk, d), *rubbing(u[1:], most, slip)]

    def knowing(self, begun: Begun, ahead: Scalars) -> tuple[Scalars, Scalars]:
        """Friction is that of the normal force at the beginning, or the step would not be convex.

        Where a way is bent, or bodies turn, rates in the middle of the step differ by `ahead` from those at its ends.
        What sticks has no slip at the end; and the gap in the middle is not that by which bodies press on each other:
        without what the way bends away by until the end, it gives the normal force of the step before.
        """
        f0, hk, d, _, *rest = begun.data
        _, friction, steady = rest
        normal, *aside = (steady * x for x in ahead)
        most = friction * pushing(begun.u[0] - normal, f0 + hk * normal, 0.0, d)
        return [f0, hk, d, most, *rest], [0.0, *aside]

    def meeting(self, a: Pose, b: Pose, numbers: Scalars) -> tuple[Scalar, Vector, Vector]:
        """The gap, the point of the first body that is nearest, and the normal towards it, in the world."""
        frame = b @ pose_of(numbers[7 : 7 + FRAME])
        return self._seen(frame, self._center(a, frame, numbers), numbers[6])

    def _center(self, a: Pose, frame: Pose, numbers: Scalars) -> Vector:
        """The middle of the ball, or of that of a capsule which is nearest, as the distance sees it."""
        back = frame.inverse()
        return self._nearest(*(back.act(list(a.act(numbers[i : i + 3]))) for i in ((0, 3) if self.long else (0,))))

    def _seen(self, frame: Pose, center: Vector, radius: Scalar, *slides: int) -> tuple[Scalar, Vector, Vector]:
        gap, normal = gap_and_normal(self.distance, center, *slides)
        return gap - radius, frame.act(list(center - radius * normal)), frame.R @ normal

    def _later(
        self, a: Touched | None, b: Touched | None, center: Vector, axes: Sequence[Vector], numbers: Scalars, t: Scalar
    ) -> tuple[Scalars, Scalar]:
        """Rates after the time t, of links that go straight on and turn evenly; and 1, or 0 where that is too far."""
        at = _pose(b) if b is None else further(b, t)
        place = center if a is None else a.p + t * (a.R @ a.u) + turned(a, t, center - a.p)
        frame = at @ pose_of(numbers[7 : 7 + FRAME])
        _, point, normal = self._seen(frame, frame.inverse().act(list(place)), numbers[6], FORESEEN)
        slip = speed(a, t, point) - speed(b, t, point)
        spin = sum((dot(x.w, x.w) for x in (a, b) if x is not None), 0.0) * (t * t)
        near = select(less(spin, TURNS * TURNS), select(less(STEADY, dot(normal, axes[0])), 1.0, 0.0), 0.0)
        new = [normal, *(axis - dot(axis, normal) * normal for axis in axes[1:])]
        return [dot(axis, slip) for axis in new], near

    def _nearest(self, first: Vector, second: Vector | None = None) -> Vector:
        """Where along an axis the distance is least: halvings of the part where it changes sign, then a secant."""
        if second is None:
            return first
        way = second - first

        def slope(s: Scalar, *slides: int) -> Scalar:  # of the distance itself, whatever its function is
            return dot(gap_and_normal(self.distance, first + s * way, *slides)[1], way)

        low, high = 0.0, 1.0
        for _ in range(HALVINGS):
            middle = 0.5 * (low + high)
            rises = less(0.0, slope(middle, AXIAL))
            low, high = select(rises, low, middle), select(rises, middle, high)
        at_low, at_high = slope(low), slope(high)
        inside = less(at_low * at_high, 0.0)
        steep = select(inside, at_high - at_low, 1.0)
        flat = select(less(0.0, at_low), low, select(less(at_high, 0.0), high, 0.5 * (low + high)))
        nearest: Vector = first + select(inside, low - at_low * (high - low) / steep, flat) * way
        return nearest


def gradient(distance: Distance, p: Vector) -> tuple[Scalar, Vector]:
    """A distance and its gradient."""
    value, partials, _ = jet(lambda x: [distance(vector(*x))], list(p), [0.0, 0.0, 0.0])
    return value[0], vector(*(column[0] for column in partials))


def gap_and_normal(distance: Distance, p: Vector, most: int = SLIDES) -> tuple[Scalar, Vector]:
    """The distance to the nearest place where the function is 0, and the normal there.

    A true distance knows both at once. For any other function, places are improved: along the surface towards where the
    normal leads to p, as far as its curvature between the last two places lets us, then down to it.
    """
    gap, normal = _sight(distance, p)
    slides = min(getattr(distance, "slides", SLIDES), most)
    if not slides:
        return gap, normal
    x, part = p - gap * normal, 0.5
    down, normal = _sight(distance, x)
    x = x - down * normal
    for _ in range(slides):
        gap = dot(p - x, normal)
        aside = x + part * (p - x - gap * normal)
        down, turned = _sight(distance, aside)
        way = aside - down * turned - x
        bend = maximum(dot(way, turned - normal) / (dot(way, way) + TINY), 0.0)
        part = 1 / (1 + bend * maximum(gap, 0.0))
        x, normal = x + way, turned
    return dot(p - x, normal), normal


def _sight(distance: Distance, p: Vector) -> tuple[Scalar, Vector]:
    """To first order the distance to where the function is 0, and the unit vector along its gradient."""
    value, slope = gradient(distance, p)
    size = sqrt(dot(slope, slope))
    return value / size, slope / size


def tangents(n: Vector) -> tuple[Vector, Vector]:
    """Two directions perpendicular to a unit vector and to each other, without a branch on where it points."""
    side = select(less(n[2], 0.0), -1.0, 1.0)
    a = -1 / (side + n[2])
    b = n[0] * n[1] * a
    return vector(1 + side * n[0] * n[0] * a, side * b, -side * n[0]), vector(b, side + n[1] * n[1] * a, -n[1])


def pose_of(numbers: Sequence[Scalar]) -> Pose:
    """A pose from its rotation by rows and its origin."""
    return Pose((Translation(tuple(numbers[9:12])), Turn(vector(*numbers[:9]).reshape(3, 3))))


def turned(body: Touched, t: Scalar, arm: Vector) -> Vector:
    """An arm of a link, in the world, after the link turned evenly for the time t; Cayley's way, of third order."""
    half = (0.5 * t) * (body.R @ body.w)
    aside = cross(half, arm)
    out: Vector = arm + (2 / (1 + dot(half, half))) * (aside + cross(half, aside))
    return out


def further(body: Touched, t: Scalar) -> Pose:
    """A link's frame of rows after it went straight on and turned evenly for the time t."""
    axes = [turned(body, t, body.R[:, k]) for k in range(3)]
    R = vector(*(axis[i] for i in range(3) for axis in axes)).reshape(3, 3)
    return Pose((Translation(tuple(body.p + t * (body.R @ body.u))), Turn(R))) @ body.X


def speed(body: Touched | None, t: Scalar, point: Vector) -> Vector:
    """The velocity in the world that a point of a link will have there after the time t."""
    if body is None:
        return zeros(3)
    u = body.R @ body.u
    out: Vector = u + cross(body.R @ body.w, point - body.p - t * u)
    return out


def _pose(body: Touched | None) -> Pose:
    """Where a body is in the world."""
    return Pose() if body is None else Pose((Translation(tuple(body.p)), Turn(body.R))) @ body.X


def _along(axes: Sequence[Vector], point: Vector, body: Touched, sign: int) -> Matrix:
    """How fast a point of a link moves along axes of the world, by the link's twist in its own axes."""
    arm, K = body.R.T @ (point - body.p), zeros(6, len(axes))
    for i, axis in enumerate(axes):
        own = sign * (body.R.T @ axis)
        K[:3, i], K[3:, i] = cross(arm, own), own
    return K
