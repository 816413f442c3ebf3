"""A body of a mechanism: its joint to the parent, its inertia, what it looks like."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from anyjoint.frozen import frozen
from anyjoint.joints import Joint
from anyjoint.spatial import Pose

from .contact import ContactLaw
from .inertia import Inertia
from .shapes import Shape


@frozen(eq=False)
class Body:
    """One rigid body. `parent` is an index into `mech.bodies`, -1 for the ground.

    Its pose in the parent body's frame is `placement @ joint.pose(q[body.q])`.
    """

    name: str
    index: int
    parent: int
    joint: Joint
    placement: Pose
    inertia: Inertia
    shapes: tuple[Shape, ...] = ()
    frames: Mapping[str, Pose] = field(default_factory=dict)  # named poses in the body's frame
    q: slice = field(kw_only=True)  # where its coordinates are in the mechanism's
    v: slice = field(kw_only=True)  # where its velocities are
    stiffness: tuple[float, ...] = ()  # of the joint's springs, per velocity
    damping: tuple[float, ...] = ()
    rest: tuple[float, ...] = ()  # where the springs relax, per coordinate
    sprung: bool = False  # added with springs, dampers or armature, which stay parameters also while they are zero
    armature: tuple[float, ...] = ()  # inertia that resists the joint alone, as a geared rotor's; per velocity
    friction: tuple[float, ...] = ()  # dry friction, which time-stepping feels
    effort: tuple[float, ...] = ()  # the largest force of the joint's drive: kept, not enforced
    speed: tuple[float, ...] = ()  # the largest velocity: kept, not enforced
    contact: ContactLaw | None = None  # of a body whose contact with its parent opens and closes

    @property
    def shape(self) -> Shape | None:
        """The first shape, or None."""
        return self.shapes[0] if self.shapes else None

    @property
    def coordinate_names(self) -> tuple[str, ...]:
        """Full names of the coordinates: body/coordinate."""
        return tuple(f"{self.name}/{c.name}" for c in self.joint.coordinates)

    def __repr__(self) -> str:
        return f"<Body {self.index} {self.name!r}: {type(self.joint).__name__} with {self.joint.nq} coordinates>"


@frozen(eq=False)
class Ground:
    """The world: the parent of the first bodies. Its shapes are scenery."""

    name: str = "ground"
    index: int = -1
    shapes: list[Shape] = field(default_factory=list)
    frames: Mapping[str, Pose] = field(default_factory=dict)  # named poses in the world

    def __repr__(self) -> str:
        return "<ground>"


Where = Body | Ground | str | int | None  # a body, its name or its index; the ground, its name or None
