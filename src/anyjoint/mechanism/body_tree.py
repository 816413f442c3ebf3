"""The tree of a mechanism: bodies, each joined to its parent by any function from coordinates to a pose."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from anyjoint import joints
from anyjoint.errors import InputError, ModelError, SingularityError
from anyjoint.joints import Coupled, Joint
from anyjoint.options import meant, named_options
from anyjoint.scalar import is_number
from anyjoint.spatial import Pose, Vector

from .body import Body, Ground
from .fence import check_inside, fences_of
from .inertia import Inertia
from .per_coordinate import numbers_of, per_coordinate
from .probing import joint_pose
from .shapes import Shape

MASSLESS = Inertia(0.0)


class BodyTree:
    """Rigid bodies in a tree; coordinates are numbered in the order bodies were added."""

    def __init__(self, name: str, gravity: Sequence[float]) -> None:
        if not isinstance(name, str) or not name.strip():
            raise InputError(f"Mechanism: name {name!r} must be a non-empty text")
        self.name = name
        self.gravity = gravity
        self.ground = Ground()
        self.bodies: list[Body] = []
        self._by_name: dict[str, Body] = {}

    @property
    def gravity(self) -> tuple[float, float, float]:
        """The acceleration of free fall."""
        return self._gravity

    @gravity.setter
    def gravity(self, value: Sequence[float]) -> None:
        g = numbers_of(value)
        if g.shape != (3,) or not np.isfinite(g).all():
            raise InputError(f"gravity {value!r} must be three finite numbers, such as (0, 0, -9.81)")
        self._gravity = (float(g[0]), float(g[1]), float(g[2]))

    # -- building ---------------------------------------------------------------------------------

    @named_options
    def add_body(
        self,
        name: str,
        parent: Body | Ground | str | None = None,
        joint: Joint | None = None,
        placement: Pose | None = None,
        inertia: Inertia | None = None,
        shape: Shape | Sequence[Shape] | None = None,
        frames: Mapping[str, Pose] | None = None,
        stiffness: float | Sequence[float] = 0.0,
        damping: float | Sequence[float] = 0.0,
        rest: float | Sequence[float] | None = None,
        armature: float | Sequence[float] = 0.0,
        friction: float | Sequence[float] = 0.0,
        effort: float | Sequence[float] = math.inf,
        velocity: float | Sequence[float] = math.inf,
    ) -> Body:
        """Add a body to the tree and return it; `parent` is a body, its name, or the ground (None).

        `placement` is the joint frame in the parent body's frame. Without a joint the body is welded to its parent,
        without an inertia it is massless. `stiffness`, `damping` and `rest` are the joint's own springs, one number
        for all velocities or one each; springs relax at the joint's neutral coordinates unless `rest` says otherwise.
        Dampers feel velocities, and where those belong to a chart (rotation vectors) the body's angular velocity.
        `armature` is inertia that the joint alone feels, as that of a geared rotor: it adds to the diagonal of the
        mass matrix. Dry `friction` resists rates of coordinates and is felt by method="time-stepping" alone; the limits
        `effort` and `velocity` of its drive are kept for those who ask.
        `shape` is what the viewer draws, `frames` are named poses in the body's frame.
        """
        self._check_name(name)
        joint = self.led(as_joint(joint, name))
        neutral = [c.neutral for c in joint.coordinates]
        body = Body(
            name=name,
            index=self.nb,
            parent=self._parent_index(parent, name),
            joint=joint,
            placement=_instance(placement, Pose, Pose(), name, "placement", "aj.Pose.translation(x, y, z)"),
            inertia=_instance(inertia, Inertia, MASSLESS, name, "inertia", "aj.Inertia(mass=...)"),
            shapes=as_shapes(shape, name),
            frames=dict(frames or {}),
            q=slice(self.nq, self.nq + joint.nq),
            v=slice(self.nv, self.nv + joint.nv),
            stiffness=(k := per_coordinate(stiffness, joint.nv, name, "stiffness")),
            damping=(d := per_coordinate(damping, joint.nv, name, "damping")),
            rest=per_coordinate(neutral if rest is None else rest, joint.nq, name, "rest"),
            armature=(m := per_coordinate(armature, joint.nv, name, "armature")),
            sprung=any(k) or any(d) or any(m),
            friction=per_coordinate(friction, joint.nv, name, "friction"),
            effort=per_coordinate(effort, joint.nv, name, "effort", math.inf),
            speed=per_coordinate(velocity, joint.nv, name, "velocity", math.inf),
        )
        self.bodies.append(body)
        self._by_name[name] = body
        return body

    def replace_body(self, body: Body) -> None:
        """Put a changed body where the one with its index was; models are not changed by it."""
        self.bodies[body.index] = self._by_name[body.name] = body

    # -- asking -----------------------------------------------------------------------------------

    @property
    def nb(self) -> int:
        """Number of bodies."""
        return len(self.bodies)

    @property
    def nq(self) -> int:
        """Number of coordinates."""
        return int(self.bodies[-1].q.stop) if self.bodies else 0

    @property
    def nv(self) -> int:
        """Number of velocities; differs from nq where bodies roll or quaternions are used."""
        return int(self.bodies[-1].v.stop) if self.bodies else 0

    @property
    def rates_are_velocities(self) -> bool:
        """Whether velocities are the rates of coordinates themselves: no body rolls, no quaternion is used."""
        return all(body.joint.rates_are_velocities for body in self.bodies)

    @property
    def coordinate_names(self) -> list[str]:
        """Names of all coordinates, body/coordinate."""
        return [name for body in self.bodies for name in body.coordinate_names]

    @property
    def neutral(self) -> Vector:
        """Coordinates at which every joint is regular."""
        return np.array([c.neutral for body in self.bodies for c in body.joint.coordinates], dtype=float)

    def children(self, body: Body | Ground) -> list[Body]:
        """The bodies joined to this one, in the order added."""
        return [b for b in self.bodies if b.parent == body.index]

    @property
    def followers(self) -> list[Body]:
        """The bodies whose joints follow those of others, and have no coordinates of their own."""
        return [body for body in self.bodies if body.joint.follows is not None]

    def leader(self, body: Body) -> Body:
        """The body whose coordinates move a body's joint: itself, unless its joint follows that of another."""
        return body if body.joint.follows is None else self[body.joint.follows]

    def poses(self, q: Sequence[Any]) -> list[Pose]:
        """World poses of all bodies at coordinates q of any scalar; the oracle of the compiled ones."""
        if all(is_number(x) for x in q):
            check_inside(f"poses of {self.name!r}", fences_of(self), q)
        world: list[Pose] = []
        for body in self.bodies:
            local = body.placement @ self.joint_pose(body, q)  # [RM eq. 22]
            world.append(local if body.parent < 0 else world[body.parent] @ local)
        return world

    def joint_pose(self, body: Body, q: Sequence[Any]) -> Pose:
        """The pose of a body's joint at coordinates q of the whole mechanism."""
        try:
            return joint_pose(body.joint, q[self.leader(body).q])
        except SingularityError as error:
            raise SingularityError(f"body {body.name!r}: {error}") from error

    def __getitem__(self, name: str) -> Body:
        if name in self._by_name:
            return self._by_name[name]
        raise InputError(f"mechanism {self.name!r} has no body {name!r}{meant(name, self._by_name)}")

    def __contains__(self, name: str) -> bool:
        return name in self._by_name

    # -- the details of add_body ------------------------------------------------------------------

    def _check_name(self, name: str) -> None:
        if not isinstance(name, str) or not name.strip():
            raise ModelError(f"mechanism {self.name!r}: a body's name must be a non-empty text, got {name!r}")
        if name in self._by_name or name == self.ground.name:
            raise ModelError(f"mechanism {self.name!r}: there is already a body {name!r}; give each its own name")

    def led(self, joint: Joint) -> Joint:
        """A joint that follows one that follows: behind the joint that leads in the end."""
        if isinstance(joint, Coupled) and joint.source in self:
            leader = self[joint.source].joint
            return joint.behind(leader) if isinstance(leader, Coupled) else joint
        return joint

    def _parent_index(self, parent: Body | Ground | str | None, name: str) -> int:
        if parent is None or parent is self.ground or parent == self.ground.name:
            return -1
        if isinstance(parent, str):
            if parent in self._by_name:
                return self._by_name[parent].index
            hint = "a body cannot be its own parent" if parent == name else "add the parent before its children"
            near = meant(parent, self._by_name)
            raise ModelError(f"body {name!r}: there is no body {parent!r} to be its parent{near}; {hint}")
        if isinstance(parent, Body) and parent.index < self.nb and self.bodies[parent.index] is parent:
            return parent.index
        if isinstance(parent, (Body, Ground)):
            raise ModelError(f"body {name!r}: its parent {parent!r} belongs to another mechanism; use one of this")
        raise ModelError(f"body {name!r}: parent {parent!r} must be a body, its name, or mech.ground")


def as_joint(joint: Any, name: str) -> Joint:
    """What is given as a joint; none is a weld."""
    if joint is None:
        joint = joints.Fixed()
    if isinstance(joint, Joint):
        return joint
    if isinstance(joint, type) and issubclass(joint, Joint):
        raise ModelError(f"body {name!r}: joint is the class {joint.__name__}; give an instance, {joint.__name__}(...)")
    if callable(joint):
        raise ModelError(f"body {name!r}: joint is a plain function; put @aj.joint(dof=...) above it")
    raise ModelError(f"body {name!r}: joint {joint!r} is not a joint; give one of anyjoint.joints")


def _instance(value: Any, kind: type, default: Any, name: str, what: str, example: str) -> Any:
    if value is None:
        return default
    if not isinstance(value, kind):
        given = type(value).__name__
        raise ModelError(f"body {name!r}: {what} must be an aj.{kind.__name__} such as {example}, got {given}")
    return value


def as_shapes(shape: Any, name: str) -> tuple[Shape, ...]:
    """One shape, several or none."""
    if shape is None:
        return ()
    shapes = tuple(shape) if isinstance(shape, (list, tuple)) else (shape,)
    for item in shapes:
        if not isinstance(item, Shape):
            raise ModelError(f"body {name!r}: {item!r} is not a shape; give one such as shapes.Box(x, y, z)")
    return shapes
