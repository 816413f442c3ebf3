"""Joints of OpenSim: which coordinates they have, and the pose that these make."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from anyjoint import joints
from anyjoint.errors import InputError
from anyjoint.frozen import frozen
from anyjoint.geometry import functions
from anyjoint.joints import Joint, Term
from anyjoint.scalar import Scalar, cos, derivative, sin
from anyjoint.spatial import Pose, vector, zeros

from ..markup import Element
from .functions import function_of, has_empty_function, read_function
from .values import Values

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
SAME = functions.Linear()
CLAMPED = (-10.0, 10.0)  # OpenSim's range where a file has none
# Rotations and translations of the plain kinds, each by the coordinate of its number.
KINDS: dict[str, tuple[Sequence[Any], Sequence[Any]]] = {
    "PinJoint": ([(Z, 0)], []),
    "SliderJoint": ([], [(X, 0)]),
    "WeldJoint": ([], []),
    "UniversalJoint": ([(X, 0), (Y, 1)], []),
    "GimbalJoint": ([(X, 0), (Y, 1), (Z, 2)], []),
    "BallJoint": ([(X, 0), (Y, 1), (Z, 2)], []),
    "PlanarJoint": ([(Z, 0)], [(X, 1), (Y, 2)]),
    "FreeJoint": ([(X, 0), (Y, 1), (Z, 2)], [(X, 3), (Y, 4), (Z, 5)]),
}


@frozen
class OsimCoordinate:
    """A coordinate as the file has it."""

    name: str
    value: float
    speed: float
    range: tuple[float, float]
    clamped: bool
    locked: bool
    prescribed: Any  # the function of time that it follows, or None
    line: int

    @property
    def start(self) -> tuple[float, float]:
        """Where it is at the time 0, and its speed; a function of time says that before the file's own numbers."""
        if self.prescribed is None:
            return self.value, self.speed
        return float(self.prescribed(0.0)), float(derivative(self.prescribed, 0.0))

    @property
    def limits(self) -> tuple[float, float]:
        """Where it may go."""
        return self.range if self.clamped else (-math.inf, math.inf)


@frozen
class Motion:
    """Rotations and translations of a joint, each a Term of its coordinates."""

    rotations: tuple[Term, ...]
    translations: tuple[Term, ...]
    coordinates: tuple[OsimCoordinate, ...]

    def joint(self) -> Joint:
        """The joint of a mechanism that moves like this."""
        names = tuple(c.name for c in self.coordinates)
        if not names:
            return joints.Fixed()
        if len(names) == 1 and len(self.rotations) + len(self.translations) == 1:
            (term,), (c,) = (*self.rotations, *self.translations), self.coordinates
            if term.function == SAME:
                return (joints.Revolute if self.rotations else joints.Prismatic)(term.axis, c.limits)
        domains = tuple(c.range if c.range[0] < c.range[1] else (-math.pi, math.pi) for c in self.coordinates)
        limits = tuple(c.limits for c in self.coordinates) if any(c.clamped for c in self.coordinates) else ()
        return joints.FunctionBased(self.rotations, self.translations, names, domains, limits)

    def constant(self) -> Pose:
        """The pose of a joint without coordinates."""
        moved = Pose()
        for term in self.translations:
            moved = moved @ Pose.translation(*(x * float(term.value([])) for x in term.axis))
        for term in self.rotations:
            moved = moved @ Pose.rotation(term.axis, float(term.value([])))
        return moved

    def held(self) -> Motion:
        """Without the locked coordinates, which stay at their values."""
        free = [k for k, c in enumerate(self.coordinates) if not c.locked]
        if len(free) == len(self.coordinates):
            return self
        rotations, translations = (
            tuple(self._hold(term, free) for term in terms) for terms in (self.rotations, self.translations)
        )
        return Motion(rotations, translations, tuple(self.coordinates[k] for k in free))

    def backward(self) -> Motion:
        """The motion of the parent in the child, which is this one's inverse."""
        turns = tuple(replace(term, axis=_opposite(term.axis)) for term in reversed(self.rotations))
        shifts = tuple(replace(term, axis=_opposite(term.axis)) for term in self.translations)
        if turns and shifts:  # they are along axes that turn, then
            every = tuple(range(len(self.coordinates)))
            shifts = tuple(Term(axis, ShiftBack(k, turns, shifts), every) for k, axis in enumerate((X, Y, Z)))
        return Motion(turns, shifts, self.coordinates)

    @property
    def idle(self) -> tuple[OsimCoordinate, ...]:
        """Coordinates that no function of the joint has."""
        used = {k for term in (*self.rotations, *self.translations) for k in term.coordinates}
        return tuple(c for k, c in enumerate(self.coordinates) if k not in used)

    def without(self, names: Collection[str]) -> Motion:
        """With some coordinates held at their values."""
        return replace(self, coordinates=tuple(replace(c, locked=c.name in names) for c in self.coordinates)).held()

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the coordinates."""
        return tuple(c.name for c in self.coordinates)

    @property
    def angles(self) -> set[str]:
        """Coordinates that are the angle of an axis, in whose degrees the file counts."""
        found = set[str]()
        for term in self.rotations:
            if isinstance(term.function, functions.Linear) and term.function.slope == 1:
                found.update(self.names[k] for k in term.coordinates)
        return found

    def tied(self, name: str, others: tuple[str, ...], function: Any) -> Motion:
        """Without a coordinate that is a function of others of this joint."""
        at, leads = self.names.index(name), tuple(self.names.index(other) for other in others)
        left = [k for k in range(len(self.names)) if k != at]

        def terms(given: tuple[Term, ...]) -> tuple[Term, ...]:
            return tuple(self._tie(term, at, leads, function, left) for term in given)

        return Motion(terms(self.rotations), terms(self.translations), tuple(self.coordinates[k] for k in left))

    @staticmethod
    def _tie(term: Term, at: int, leads: tuple[int, ...], function: Any, left: list[int]) -> Term:
        if at not in term.coordinates:
            return replace(term, coordinates=tuple(left.index(k) for k in term.coordinates))
        used = tuple(dict.fromkeys((*(k for k in term.coordinates if k != at), *leads)))
        if term.coordinates == (at,) and leads == used:
            made: Any = function if term.function == SAME else functions.Composed(term.function, function)
        else:
            inner = tuple(used.index(k) for k in leads)
            outer = tuple(None if k == at else used.index(k) for k in term.coordinates)
            made = functions.Tied(term.function, outer, function, inner)
        return Term(term.axis, made, tuple(left.index(k) for k in used))

    def _hold(self, term: Term, free: list[int]) -> Term:
        values = tuple(None if k in free else self.coordinates[k].value for k in term.coordinates)
        left = tuple(free.index(k) for k in term.coordinates if k in free)
        if len(left) == len(term.coordinates):
            return replace(term, coordinates=left)
        if left:
            return Term(term.axis, functions.Held(term.function, values), left)
        return Term(term.axis, functions.Constant(float(term.function(*values))), ())


def _opposite(axis: tuple[float, float, float]) -> tuple[float, float, float]:
    return -axis[0], -axis[1], -axis[2]


@frozen
class ShiftBack:
    """Along one axis, where shifts after turns lead: T R backward is R^-1 T^-1, and that is Trans(-R^-1 p) R^-1."""

    axis: int
    turns: tuple[Term, ...]
    shifts: tuple[Term, ...]

    def __call__(self, *q: Scalar) -> Scalar:
        turned, p = Pose(), zeros(3)
        for term in self.turns:
            turned = turned @ Pose.rotation(term.axis, term.value(q))
        for term in self.shifts:
            p = p + vector(*term.axis) * term.value(q)
        return (turned.R @ p)[self.axis]


@frozen
class OnEllipsoid:
    """Where the origin of an ellipsoid joint goes along one axis, as the normal turns by two angles about x and y."""

    axis: int
    radius: float

    def __call__(self, a: Scalar, b: Scalar) -> Scalar:
        return self.radius * (sin(b), -sin(a) * cos(b), cos(a) * cos(b))[self.axis]


@frozen
class OnThorax:
    """Where the origin of a scapula goes along one axis: on the rib cage, and off it by winging about its own axis.

    `a`, `b` and `c` are abduction, elevation and upward rotation about y, -x and z; `w` is winging.
    """

    axis: int
    radii: tuple[float, ...]
    origin: tuple[float, float]
    direction: float

    def __call__(self, a: Scalar, b: Scalar, c: Scalar, w: Scalar) -> Scalar:
        x, y, z = self.radii
        on = (x * sin(a) * cos(b), y * sin(b), z * cos(a) * cos(b))[self.axis]
        turned = Pose.rotation_y(a) @ Pose.rotation_x(-b) @ Pose.rotation_z(c)
        aside = (*self.origin, 0.0)
        wing = Pose.rotation(winging_axis(self.direction), w)
        return on + (turned.R @ (vector(*aside) - wing.act(aside)))[self.axis]


def winging_axis(direction: float) -> tuple[float, float, float]:
    """In the plane of the scapula, at an angle from its y axis."""
    return -math.sin(direction), math.cos(direction), 0.0


def _scapula(element: Element, coordinates: tuple[OsimCoordinate, ...], values: Values) -> Motion:
    """OpenSim's ScapulothoracicJoint: three turns that keep it on an ellipsoid, and winging."""
    radii = tuple(values.numbers(element, "thoracic_ellipsoid_radii_x_y_z", (1.0, 1.0, 1.0), 3))
    x, y = values.numbers(element, "scapula_winging_axis_origin", (0.0, 0.0), 2)
    direction = values.number(element, "scapula_winging_axis_direction", 0.0)
    axes = Y, (-1.0, 0.0, 0.0), Z, winging_axis(direction)
    slides = [Term(axis, OnThorax(k, radii, (x, y), direction), (0, 1, 2, 3)) for k, axis in enumerate((X, Y, Z))]
    return Motion(tuple(Term(axis, SAME, (k,)) for k, axis in enumerate(axes)), tuple(slides), coordinates)


def read_motion(element: Element, values: Values) -> Motion | None:
    """What a joint element moves by; None, and reported, if its kind is unknown."""
    coordinates = tuple(_coordinate(child, values) for child in element.walk() if child.tag == "Coordinate")
    kind = element.tag
    if kind == "CustomJoint":
        return _custom(element, coordinates, values)
    if kind == "EllipsoidJoint":
        turns, _ = KINDS["GimbalJoint"]
        radii = values.numbers(element, "radii_x_y_z", (1.0, 1.0, 1.0), 3)
        slides = tuple(Term(axis, OnEllipsoid(k, radii[k]), (0, 1)) for k, axis in enumerate((X, Y, Z)))
        return Motion(tuple(Term(axis, SAME, (k,)) for axis, k in turns), slides, _named(coordinates, 3, element))
    if kind == "ScapulothoracicJoint":
        return _scapula(element, _named(coordinates, 4, element), values)
    if kind not in KINDS:
        values.report.refuse(element.line, "unsupported", f"a <{kind}> is not known; there is {', '.join(KINDS)}")
        return None
    turns, shifts = KINDS[kind]
    rotations, translations = (tuple(Term(axis, SAME, (k,)) for axis, k in terms) for terms in (turns, shifts))
    return Motion(rotations, translations, _named(coordinates, len(turns) + len(shifts), element))


def _named(found: tuple[OsimCoordinate, ...], count: int, element: Element) -> tuple[OsimCoordinate, ...]:
    """Coordinates of a plain joint; files leave out those that are as usual."""
    name = element.attributes.get("name", element.tag)
    usual = OsimCoordinate("", 0.0, 0.0, (-math.pi, math.pi), False, False, None, element.line)
    return (*found, *(replace(usual, name=f"{name}_coord_{k}") for k in range(len(found), count)))[:count]


def _coordinate(element: Element, values: Values) -> OsimCoordinate:
    name = element.attributes.get("name", "")
    clamped, locked = values.true(element, "clamped"), values.true(element, "locked")
    usual = CLAMPED if clamped else (-math.pi, math.pi)
    low, high = values.numbers(element, "range", usual, 2)
    function = element.find("prescribed_function")
    follows = function is not None and function.children and values.true(element, "prescribed")
    prescribed = read_function(function.children[0], values) if function is not None and follows else None
    if locked and prescribed is not None:
        what = f"coordinate {name!r} is locked, and follows a function of time; it stays where it is locked"
        values.report.warn(element.line, "locked", what)
    if clamped and low == high:
        what = f"coordinate {name!r} is clamped to the one value {low:g}, which is not kept; <locked> would hold it"
        values.report.warn(element.line, "limit", what)
    return OsimCoordinate(
        name,
        values.number(element, "default_value", 0.0),
        values.number(element, "default_speed_value", 0.0),
        (low, high),
        clamped and low != high,
        locked,
        prescribed,
        element.line,
    )


AXES = tuple(f"{kind}{k}" for kind in ("rotation", "translation") for k in (1, 2, 3))


def _custom(element: Element, coordinates: tuple[OsimCoordinate, ...], values: Values) -> Motion:
    """The six axes of a <SpatialTransform>, by their names and in whatever order they stand."""
    names, joint = [c.name for c in coordinates], element.attributes.get("name")
    terms = dict[str, Term]()
    older = element.find("TransformAxisSet")
    if older is not None:
        what = f"joint {joint!r} has its axes in a <TransformAxisSet>, as files before version 10901 do"
        remedy = "OpenSim 4 refuses them, too; open the file with OpenSim 3.3 and save it"
        values.report.error(older.line, "version", f"{what}; {remedy}")
        return Motion((), (), ())  # no problems of its own follow
    transform = next((child for child in element.walk() if child.tag == "SpatialTransform"), element)
    seen = set[str]()
    for axis in (child for child in transform.walk() if child.tag == "TransformAxis"):
        own = axis.attributes.get("name", "")
        used = values.text(axis, "coordinates").split()
        unknown = [name for name in used if name not in names]
        if own not in AXES or own in seen or unknown:
            twice = f"an axis {own!r} twice" if own in seen else f"no axis {own!r}"
            what = f"no coordinate {unknown[0]!r}" if unknown else twice
            values.report.error(axis.line, "reference", f"joint {joint!r} has {what}")
            continue
        seen.add(own)
        function = function_of(axis, values)
        if used and function is None:
            function = _lacking(axis, used, f"the axis {own!r} of joint {joint!r}", values)
            used = used if function is not None else []
        direction = values.numbers(axis, "axis", X, 3)
        try:
            places = tuple(names.index(name) for name in used)
            terms[own] = Term(tuple(direction), function or functions.Constant(0.0), places)
        except InputError as error:
            values.report.error(axis.line, "axis", str(error))
    moving = [(name, terms[name]) for name in AXES if name in terms and not terms[name].absent]
    rotations, translations = (tuple(term for name, term in moving if name in own) for own in (AXES[:3], AXES[3:]))
    return Motion(rotations, translations, coordinates)


def _lacking(axis: Element, used: list[str], which: str, values: Values) -> Any | None:
    """The function of an axis that has coordinates and none: one coordinate itself where a <function/> is empty, and
    nothing where there is no such element, both as in OpenSim.
    """
    if not has_empty_function(axis):
        remedy = f"so {', '.join(used)} moves nothing there, as in OpenSim; give a <LinearFunction>"
        values.report.warn(axis.line, "function", f"{which} has no function, {remedy}")
        return None
    if len(used) == 1:
        return SAME
    what = f"{which} has an empty <function/> of several coordinates ({', '.join(used)}), which OpenSim refuses, too"
    values.report.error(axis.line, "function", f"{what}; give one of them all")
    return None
