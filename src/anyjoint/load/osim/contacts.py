"""Contacts of an .osim by Hunt and Crossley: balls against balls and half spaces."""

from __future__ import annotations

from itertools import combinations

from anyjoint.forces import HuntCrossley
from anyjoint.frozen import frozen
from anyjoint.spatial import Pose

from ..markup import Element
from .attachments import Attachments, Lacking
from .frames import ZERO, pose_of
from .values import last_name

SET = "HuntCrossleyForce::ContactParametersSet"
FRICTION = ("static_friction", "dynamic_friction", "viscous_friction")


@frozen
class Surface:
    """What touches, with the numbers of its material; a half space has no radius."""

    name: str
    body: str | None
    pose: Pose
    radius: float | None
    stiffness: float
    dissipation: float
    friction: tuple[float, ...]

    @property
    def center(self) -> tuple[float, ...]:
        """Where it is in its body."""
        return tuple(float(x) for x in self.pose.p)


def read_contacts(element: Element, at: Attachments) -> list[HuntCrossley]:
    """A force for every pair that can touch; a half space is the first of a pair."""
    holder = element.find(SET)
    given = holder.find("objects") if holder is not None else None
    surfaces = [x for numbers in (given.children if given is not None else ()) for x in _surfaces(numbers, at)]
    slow = at.values.number(element, "transition_velocity", 0.01)
    made = []
    for pair in combinations(surfaces, 2):
        first, second = sorted(pair, key=lambda x: x.radius is not None)
        if second.radius is not None and first.body != second.body:
            made.append(_between(first, second, slow))
    return made


def _surfaces(numbers: Element, at: Attachments) -> list[Surface]:
    number = at.values.number
    stiffness, dissipation = (number(numbers, tag, 0.0) for tag in ("stiffness", "dissipation"))
    friction = tuple(number(numbers, tag, 0.0) for tag in FRICTION)
    made = []
    for name in map(last_name, at.values.text(numbers, "geometry").split()):
        shape = at.touching.get(name)
        if shape is None or shape.tag not in ("ContactSphere", "ContactHalfSpace"):
            what = f"a <{shape.tag}>, which has no counterpart" if shape else "no shape of the file"
            raise Lacking(f"lets {name!r} touch, which is {what}")
        body, frame = at.frame(shape, "frame" if shape.find("socket_frame") else "body_name")
        shift, turn = (at.values.numbers(shape, tag, ZERO, 3) for tag in ("location", "orientation"))
        radius = number(shape, "radius", 0.0) if shape.tag == "ContactSphere" else None
        made.append(Surface(name, body, frame @ pose_of(shift, turn), radius, stiffness, dissipation, friction))
    return made


def _between(first: Surface, second: Surface, slow: float) -> HuntCrossley:
    """Two materials in a row, as Simbody has it; a half space is what is before the x axis of its frame."""
    a, b = (max(surface.stiffness, 0.0) ** (2 / 3) for surface in (first, second))
    if not min(a, b) > 0:
        raise Lacking(f"lets {first.name!r} and {second.name!r} touch, which are not stiff")
    share = b / (a + b)
    static, dynamic, viscous = (_mean(x, y) for x, y in zip(first.friction, second.friction, strict=True))
    assert second.radius is not None  # or it would be the first
    return HuntCrossley(
        second.body, second.center, second.radius, first.body, first.center, first.radius,
        None if first.radius is not None else tuple(float(-x) for x in first.pose.R[:, 0]),
        stiffness=(a * share) ** 1.5, dissipation=first.dissipation * share + second.dissipation * (1 - share),
        static=static, dynamic=dynamic, viscous=viscous, slow=slow, share=1 - share,
    )  # fmt: skip


def _mean(x: float, y: float) -> float:
    """The harmonic mean."""
    return 2 * x * y / (x + y) if x + y > 0 else 0.0
