"""A joint written as formulas: poses in a row, each made of expressions of coordinates and parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from anyjoint.errors import InputError
from anyjoint.frozen import frozen
from anyjoint.geometry import curves, surfaces
from anyjoint.joints import Coordinate, Joint, parameter
from anyjoint.joints.curve_frame import curve_frame
from anyjoint.joints.joint import check_count
from anyjoint.options import nearest
from anyjoint.scalar import Scalar, user_code
from anyjoint.spatial import Axis, Pose, Turn, unit_axis, vector

from .expression import Expression
from .where import NOTHING, Where

Given = Mapping[str, Scalar]
FRAMES = ("frenet", "fixed-up")


@frozen
class Named:
    """A number that formulas call by name, and that may change at run time."""

    name: str
    value: float = parameter((-1.0, 1.0))


@frozen
class Step:
    """One pose of the row.

    `kind` is "translation" (three formulas), "rotation" (an angle, about `axis`), "matrix" (nine formulas, row by row),
    "curve" (the frame of a curve, three formulas of one coordinate) or "surface" (the frame of a surface, three
    formulas of two). `by` names the coordinates that go along the curve or the surface, `frame` the frame of the curve.
    """

    kind: str
    formulas: tuple[Expression, ...]
    by: tuple[str, ...] = ()
    axis: Axis = (0.0, 0.0, 1.0)
    frame: str = "frenet"

    def __post_init__(self) -> None:
        if self.kind not in STEPS:
            raise InputError(f"a step of a pose is {self.kind!r}{nearest(self.kind, STEPS)}")
        wanted = {"rotation": 1, "matrix": 9}.get(self.kind, 3)
        if len(self.formulas) != wanted:
            raise InputError(f"{self.kind}: {len(self.formulas)} formulas; expected {wanted}")
        if len(self.by) != {"curve": 1, "surface": 2}.get(self.kind, 0):
            raise InputError(f"{self.kind}: by={list(self.by)}; name the coordinate that goes along it, or both")
        if self.frame not in FRAMES:
            raise InputError(f"{self.kind}: frame {self.frame!r} is unknown{nearest(self.frame, FRAMES)}")
        object.__setattr__(self, "axis", unit_axis(self.axis, "rotation axis"))

    def pose(self, given: Given, where: Where) -> Pose:
        """The pose for given coordinates and parameters."""
        if self.by:
            return ALONG[self.kind](self, self.point(given, where), [given[name] for name in self.by])
        here = where.filled(given)
        return AT_ONCE[self.kind](self, [formula.value(here) for formula in self.formulas])

    def point(self, given: Given, where: Where) -> Callable[..., list[Scalar]]:
        """The curve or surface as a function of the coordinates that go along it."""

        def at(*along: Scalar) -> list[Scalar]:
            here = where.filled({**given, **dict(zip(self.by, along, strict=True))})
            return [formula.value(here) for formula in self.formulas]

        return at


def _curve(step: Step, point: Callable[..., list[Scalar]], at: list[Scalar]) -> Pose:
    return curve_frame(curves.curve(point), step.frame, (0.0, 0.0, 1.0), *at)


AT_ONCE: dict[str, Callable[[Step, list[Scalar]], Pose]] = {
    "translation": lambda step, values: Pose.translation(*values),
    "rotation": lambda step, values: Pose.rotation(step.axis, *values),
    "matrix": lambda step, values: Pose((Turn(vector(*values).reshape(3, 3)),)),
}
ALONG: dict[str, Callable[[Step, Callable[..., list[Scalar]], list[Scalar]], Pose]] = {
    "curve": _curve,
    "surface": lambda step, point, at: surfaces.surface(point).frame(*at),
}
STEPS = (*AT_ONCE, *ALONG)


@frozen
class FormulaJoint(Joint):
    """Q is the product of the steps' poses."""

    coordinate_list: tuple[Coordinate, ...]
    steps: tuple[Step, ...]
    numbers: tuple[Named, ...] = ()
    where: Where = NOTHING

    def __post_init__(self) -> None:
        names = [coordinate.name for coordinate in self.coordinate_list]
        check_count("a joint of formulas", len(names))
        formulas = [formula for step in self.steps for formula in step.formulas]
        known = sorted({*names, *(number.name for number in self.numbers)})
        self.where.check(known, formulas, "coordinate or parameter")
        along = {name for step in self.steps for name in step.by}
        for name in sorted(along - set(names)):
            raise InputError(f"there is no coordinate {name!r}{nearest(name, names)}")
        used = self.where.used(formulas) | along
        for name in names:
            if name not in used:
                raise InputError(f"the coordinate {name!r} moves nothing; use it in a formula, or leave it out")

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        return self.coordinate_list

    def pose(self, q: Sequence[Scalar]) -> Pose:
        given = {number.name: number.value for number in self.numbers}
        given |= {coordinate.name: x for coordinate, x in zip(self.coordinate_list, q, strict=True)}
        made = Pose()
        with user_code("a joint of formulas", None, q):
            for step in self.steps:
                made = made @ step.pose(given, self.where)
        return made
