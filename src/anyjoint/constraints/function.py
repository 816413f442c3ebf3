"""A constraint of one's own: any plain function of poses, twists, coordinates and time that has to be zero."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from anyjoint.errors import InputError
from anyjoint.frozen import frozen
from anyjoint.joints.function import as_array, function_name
from anyjoint.scalar import Scalar, definition, is_number, jet, user_code
from anyjoint.spatial import Matrix, Pose, Translation, Turn, Twist, Vector, cross, dot, skew, vector

from .constraint import Constraint
from .rows import Rows, Touched


@frozen
class ConstraintFunction:
    """What `@aj.constraint` and `@aj.velocity_constraint` make of a function."""

    function: Callable[..., Any]
    velocity: bool
    written: Any = None  # the function that the user wrote, where it is another one

    def __call__(self, *arguments: Any) -> Any:
        return self.function(*arguments)

    @property
    def name(self) -> str:
        """The function's name."""
        return function_name(self.written or self.function)

    @property
    def described(self) -> str:
        """The name and where the function was written."""
        place = definition(self.written or self.function)
        return f"constraint function {self.name}" + (f" ({place})" if place else "")

    def entries(self, arguments: Sequence[Any]) -> list[Scalar]:
        """What the function returns, as a list of rows."""
        written, numbers = self.written or self.function, _scalars(arguments)
        with user_code(f"constraint function {self.name}", written, numbers, "constraint"):
            result = self.function(*arguments)
        if result is None:
            raise InputError(f"{self.described} returned None; is a `return` missing?")
        made = list(np.ravel(np.asarray(result, dtype=object)))
        for item in made:
            if isinstance(item, (bool, np.bool_, complex, str)) or not (is_number(item) or hasattr(item, "__rmul__")):
                given = f"{self.described} returned a {type(item).__name__}"
                raise InputError(f"{given}; expected a number or a list of numbers, all zero")
        return made


def constraint(function: Callable[..., Any]) -> ConstraintFunction:
    """Make a function of bodies' poses a constraint: what it returns has to be zero.

    Arguments are the poses of the bodies that `mech.add_constraint` names, then an array of the coordinates if it names
    some, then the time with `time=True`. The number of rows is what the function returns, one number or several.

    >>> import anyjoint as aj
    >>> @aj.constraint
    ... def rod(a, b):  # a massless rod between the origins of two bodies
    ...     d = a.p - b.p
    ...     return d @ d - 0.25
    """
    return _marked(function, "constraint", False)


def velocity_constraint(function: Callable[..., Any]) -> ConstraintFunction:
    """Make a function of bodies' motions a constraint: what it returns has to be zero, and is linear in velocities.

    Arguments are a pose and a twist for each body that `mech.add_constraint` names, then arrays of the coordinates and
    of their rates if it names some, then the time with `time=True`.

    >>> import anyjoint as aj
    >>> @aj.velocity_constraint
    ... def knife(pose, twist):  # the edge does not slip sideways
    ...     return twist.linear[1]
    """
    return _marked(function, "velocity_constraint", True)


def _marked(function: Any, what: str, velocity: bool) -> ConstraintFunction:
    if not callable(function):
        raise InputError(f"@aj.{what} stands above a function, got {function!r}")
    return ConstraintFunction(function, velocity)


@frozen(eq=False, kw_only=True)
class FunctionConstraint(Constraint):
    """Rows by differentiating a user's function, with D* where it is compiled."""

    function: ConstraintFunction
    known_relative: bool | None = None

    @property
    def relative(self) -> bool | None:
        """As it was found out."""
        return self.known_relative

    @property
    def holonomic(self) -> bool:
        """Functions of poses are, functions of twists are not."""
        return not self.function.velocity

    @property
    def described(self) -> str:
        place = definition(self.function.written or self.function.function)
        return f"constraint {self.name!r}" + (f" ({place})" if place else "")

    def rows(self, bodies: Sequence[Touched], q: Sequence[Scalar], qd: Sequence[Scalar], t: Scalar) -> Rows:
        return self._of_twists(bodies, q, qd, t) if self.function.velocity else self._of_poses(bodies, q, qd, t)

    def arguments(self, poses: Sequence[Pose], twists: Sequence[Twist], q: Any, qd: Any, t: Scalar) -> list[Any]:
        """What the function is called with."""
        if self.function.velocity:
            made: list[Any] = [x for pair in zip(poses, twists, strict=True) for x in pair]
            made += [as_array(q), as_array(qd)] if self.coordinates else []
        else:
            made = [*poses, *([as_array(q)] if self.coordinates else [])]
        return made + ([t] if self.time else [])

    def _of_poses(self, bodies: Sequence[Touched], q: Sequence[Scalar], qd: Sequence[Scalar], t: Scalar) -> Rows:
        """K = dg/dxi, gamma the second derivative along the motion on which nothing accelerates."""
        n = len(bodies)

        def g(z: Sequence[Scalar]) -> list[Scalar]:
            poses = [_displaced(b, vector(*z[6 * i : 6 * i + 6])) for i, b in enumerate(bodies)]
            return self._entries(poses, [], z[6 * n : 6 * n + len(q)], [], z[-1])

        speeds = [x for b in bodies for x in (*b.w, *b.u)] + [*qd, 1.0]
        error, partials, second = jet(g, [0.0] * 6 * n + [*q, t], speeds)
        rate = [dot([column[k] for column in partials], speeds) for k in range(self.count)]
        return Rows(error, rate, *_split(partials, n, len(q)), second)

    def _of_twists(self, bodies: Sequence[Touched], q: Sequence[Scalar], qd: Sequence[Scalar], t: Scalar) -> Rows:
        """K = df/dV, gamma the derivative along the motion on which nothing accelerates [GL section 5]."""
        n, m = len(bodies), len(q)

        def f(z: Sequence[Scalar]) -> list[Scalar]:
            s, poses, twists = z[-1], [], []
            for i, b in enumerate(bodies):
                w, u = vector(*z[6 * i : 6 * i + 3]), vector(*z[6 * i + 3 : 6 * i + 6])
                poses.append(_displaced(b, s * np.concatenate([b.w, b.u])))
                # The origin moves on straight while the axes turn.
                twists.append(_seen(b, w, u - s * cross(b.w, b.u)))
            at = [x + s * y for x, y in zip(q, qd, strict=True)]
            return self._entries(poses, twists, at, z[6 * n : 6 * n + m], t + s)

        speeds = [x for b in bodies for x in (*b.w, *b.u)] + [*qd]
        rate, partials, _ = jet(f, [*speeds, 0.0], [0.0] * (len(speeds) + 1))
        return Rows(None, rate, *_split(partials[:-1], n, m), partials[-1])

    def _entries(self, poses: Any, twists: Any, q: Any, qd: Any, t: Scalar) -> list[Scalar]:
        made = self.function.entries(self.arguments(poses, twists, q, qd, t))
        if len(made) != self.count:
            raise InputError(
                f"{self.described} returned {len(made)} rows, but {self.count} at the neutral coordinates; "
                "return equally many everywhere"
            )
        return made


def _split(partials: Sequence[Sequence[Scalar]], bodies: int, coordinates: int) -> tuple[list[Matrix], list[Vector]]:
    """Derivatives by twists, (6, m) for each body, and by coordinates."""
    K = [np.array(partials[6 * i : 6 * i + 6], dtype=object) for i in range(bodies)]
    return K, [vector(*column) for column in partials[6 * bodies : 6 * bodies + coordinates]]


def _displaced(body: Touched, xi: Vector) -> Pose:
    """The frame of a body whose link has moved a little, exact to second order."""
    turn = skew(xi[:3])
    R = body.R + body.R @ (turn + turn @ turn / 2)
    return Pose((Translation(tuple(body.p + body.R @ xi[3:])), Turn(R))) @ body.X


def _seen(body: Touched, w: Vector, u: Vector) -> Twist:
    """A link's twist as that of the body's frame."""
    moved = body.X.motion(np.concatenate([w, u]))
    return Twist(moved[:3], moved[3:])


def _scalars(arguments: Sequence[Any]) -> list[Scalar]:
    """The numbers among a function's arguments, for messages."""
    return [x for item in arguments if isinstance(item, np.ndarray) for x in item]
