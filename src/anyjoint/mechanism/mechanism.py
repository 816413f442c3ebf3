"""Mechanism: a tree of bodies, the loops, contacts and frames that were added to it, checked and compiled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from anyjoint.constraints import Constraint, ConstraintFunction
from anyjoint.errors import InputError, ModelError
from anyjoint.garbage import postponed
from anyjoint.joints import Joint
from anyjoint.options import named_options
from anyjoint.spatial import Pose, Vector
from anyjoint.travel import Parcel

from .body import Body, Ground
from .body_tree import MASSLESS, BodyTree, as_joint, as_shapes
from .checks import Problem, find_problems, report
from .constrain import function as function_constraint
from .constrain import loop as loop_constraint
from .constrain import prescribed as prescribed_motion
from .constrain import rolling as rolling_constraints
from .contact import contact_law
from .frame import Frame, add_frame
from .hints import find_hints
from .inertia import Inertia
from .per_coordinate import numbers_of
from .replace import replace_joint
from .shapes import Shape
from .source import Source

if TYPE_CHECKING:
    from anyjoint.model import Model

    from .touching import ContactPair


class Mechanism(BodyTree):
    """Rigid bodies in a tree, each joined to its parent; coordinates are numbered in the order bodies were added.

    Describe the mechanism, compile it, ask the model. A pendulum, and a weight that slides on its rod:

    >>> import anyjoint as aj
    >>> from anyjoint import joints
    >>> mech = aj.Mechanism("pendulum", gravity=(0, 0, -9.81))
    >>> rod = mech.add_body("rod", joint=joints.Revolute(axis=(0, 1, 0)), inertia=aj.Inertia.point(1.0, (0, 0, -1)))
    >>> @aj.joint(dof=1)  # any function from coordinates to a pose is a joint
    ... def slide(q):
    ...     return aj.Pose.translation(0, 0, q[0])
    >>> weight = mech.add_body("weight", parent=rod, joint=slide, inertia=aj.Inertia.sphere(2.0, 0.1))
    >>> mech.coordinate_names
    ['rod/angle', 'weight/q0']
    >>> mech.check()  # all mistakes at once, here none
    []
    >>> model = mech.compile()
    >>> model.mass_matrix([0.0, -0.5]).round(3).tolist()
    [[1.508, 0.0], [0.0, 2.0]]
    >>> traj = model.simulate([0.3, -0.5], duration=1.0)
    >>> print(traj.status)
    ok

    `start` is a good state to begin with, (q0, v0) as arrays, or None; `set_start` sets it. The first
    line of `description` is the idea of the mechanism in one sentence; pages show it.
    """

    def __init__(
        self, name: str = "mechanism", gravity: Sequence[float] = (0.0, 0.0, -9.81), description: str | None = None
    ) -> None:
        super().__init__(name, gravity)
        self.description = (description or "").strip()
        self.constraints: list[Constraint] = []
        self.contacts: list[ContactPair] = []
        self.start: tuple[Vector, Vector] | None = None
        self.source: Source | None = None  # the file that it was loaded from

    # -- building ---------------------------------------------------------------------------------

    @named_options
    def add_contact_body(
        self,
        name: str,
        parent: Body | Ground | str | None = None,
        surfaces: Sequence[Any] = (),
        friction: float = 0.0,
        restitution: float = 0.0,
        start: str = "sliding",
        placement: Pose | None = None,
        inertia: Inertia | None = None,
        shape: Shape | Sequence[Shape] | None = None,
        frames: Mapping[str, Pose] | None = None,
    ) -> Body:
        """Add a body that touches its parent at a point, where contact breaks and forms; `traj.modes` says when.

        `surfaces` are the parent's, in the joint frame at `placement`, and the body's own, in its frame. The body
        flies, slides with Coulomb's `friction` or rolls; `start` says how it begins, and so its coordinates: those of
        FreeQuaternion in "flight", of Rolling with slip when "sliding", of Rolling when "rolling". `restitution` is
        Newton's, from 0 to 1. A mode is a joint, which `simulate` swaps.
        """
        law = contact_law(name, surfaces, friction, restitution, start, inertia or MASSLESS)
        body = self.add_body(name, parent, law.joint(start), placement, inertia, shape, frames)
        self.replace_body(replace(body, contact=law))
        return self.bodies[-1]

    @named_options
    def add_contact(
        self,
        body: Body | str,
        shape: Any = None,
        on: Any = None,
        of: Body | Ground | str | None = None,
        at: Pose | None = None,
        friction: float = 0.0,
        stiffness: float | None = None,
        dissipation: float = 0.0,
        slip: float = 1e-5,
        name: str | None = None,
    ) -> ContactPair:
        """Let a body touch what a signed distance bounds; `simulate(method="time-stepping")` feels it.

        `shape` is what it touches with: a Sphere, Capsule, Box (its corners) or Mesh (its vertices) of anyjoint.shapes,
        a point or several, or its own shapes if None. `on` is one of anyjoint.distances or any function of a point that
        is negative inside, level ground if None; it stands at the pose `at` on the body `of` (default: the ground).
        `friction` is Coulomb's; `stiffness`, in N/m, is at most what steps can follow, and just that if None;
        `dissipation`, in s/m, is Hunt and Crossley's. Points that stick creep slower than `slip`, in m/s.
        """
        from .touching import contact_pair  # with signed distances, which only contacts need

        made = contact_pair(self, body, shape, on, of, at, friction, stiffness, dissipation, slip, name)
        self.contacts.append(made)
        return made

    @named_options
    def add_loop(
        self,
        a: Body | Ground | str | None,
        b: Body | Ground | str | None,
        joint: Joint | None = None,
        at: Any = ((0, 0, 0), (0, 0, 0)),
        name: str | None = None,
        compliance: float = 0.0,
    ) -> Constraint:
        """Join two bodies of the tree once more, which closes a loop; without a joint they are welded.

        `at` are points or poses on the two bodies, where the closing joint's frames are. Hinges, balls, sliders,
        universal, planar and cylindrical joints and welds become rows of their own. Any other joint cuts the second
        body in two halves: one rides on the first body by this joint, as a body with the loop's name and the joint's
        coordinates, and is welded to the other. `compliance` makes the rows soft.
        """
        self.constraints.append(loop_constraint(self, a, b, joint, at, name, compliance))
        return self.constraints[-1]

    @named_options
    def add_constraint(
        self,
        function: ConstraintFunction,
        bodies: Sequence[Body | Ground | str] = (),
        coordinates: Sequence[str] = (),
        time: bool = False,
        compliance: float = 0.0,
        name: str | None = None,
    ) -> Constraint:
        """Ask that a function of `@aj.constraint` or `@aj.velocity_constraint` be zero.

        It is called with the poses (and twists) of `bodies`, then with an array of `coordinates` (and their rates),
        then with the time if `time` is True.
        """
        made = function_constraint(self, function, bodies, coordinates, time, compliance, name)
        self.constraints.append(made)
        return made

    @named_options
    def add_rolling(
        self,
        body: Body | str,
        rim: Any,
        on: Any,
        of: Body | Ground | str | None = None,
        at: Pose | None = None,
        place: Pose | None = None,
        name: str | None = None,
    ) -> tuple[Constraint, Constraint]:
        """Let a body that other joints have placed roll on a plane without slipping: a row of contact, two of no slip.

        `rim` is curves.Circle(radius) for a thin wheel, or a surfaces.Torus, Sphere or Ellipsoid; it turns about z of
        the pose `at` in the body's frame. `on` is surfaces.Plane(), the x-y plane of the pose `place` on the body `of`
        (default: the ground). The wheel touches where it is lowest. The contact is bilateral: it does not lift off.
        """
        contact, slip = rolling_constraints(self, body, rim, on, of, at, place, name)
        self.constraints += [contact, slip]
        return contact, slip

    def prescribe(self, body: Body | str, motion: Any, name: str | None = None) -> Constraint:
        """Let the joint of a body follow a function of time; the force that this takes is the multiplier's negative.

        `motion(t)` gives all coordinates of the joint, or a number for a joint with a single one, or for one coordinate
        by its name, "body/coordinate". It is traced and differentiated as joints are, so it is written with aj.sin and
        the like.
        """
        self.constraints.append(prescribed_motion(self, body, motion, name))
        return self.constraints[-1]

    def add_frame(self, name: str, body: Body | Ground | str | None = None, pose: Pose | None = None) -> Frame:
        """Name a pose in the frame of a body (None: the ground), such as the tip of a tool.

        Models then answer for it: `model.frame_pose(q, name)`, `frame_jacobian`, `frame_velocity`,
        `inverse_kinematics({name: ...})`. Bodies are frames by their own names.
        """
        return add_frame(self, name, body, Pose() if pose is None else pose)

    @named_options
    def replace_joint(
        self, name: str, joint: Joint, placement: Pose | None = None, *, stiffness: Any = None, damping: Any = None,
        rest: Any = None, armature: Any = None, friction: Any = None, effort: Any = None, velocity: Any = None,
    ) -> Body:  # fmt: skip
        """Let a body move by another joint, such as a knee of one's own in place of the hinge that a file has.

        `name` is the body's, or the joint's in the file. The new joint takes the place of the old one, or `placement`.
        Numbers that are not given stay as they were where the new joint has as many velocities, and must be given
        otherwise. Coordinates of all bodies keep their order; the body is a new one, which is returned.
        """
        numbers = {"stiffness": stiffness, "damping": damping, "rest": rest, "armature": armature,
                   "friction": friction, "effort": effort, "velocity": velocity}  # fmt: skip
        given = {option: value for option, value in numbers.items() if value is not None}
        return replace_joint(self, name, self.led(as_joint(joint, name)), placement, given)

    def draw(self, *shapes: Shape) -> None:
        """Add scenery: shapes that stand still in the world, such as the wire of a bead."""
        self.ground.shapes.extend(as_shapes(shapes, "ground"))

    def set_start(self, q: Sequence[float], v: Sequence[float] | None = None) -> None:
        """Give a good state to begin with; at rest unless velocities are given."""
        position, velocity = numbers_of(q), np.zeros(self.nv) if v is None else numbers_of(v)
        for what, given, made, n in (("q", q, position, self.nq), ("v", v, velocity, self.nv)):
            if made.shape != (n,) or not np.isfinite(made).all():
                raise InputError(f"mechanism {self.name!r}: start {what} must be {n} finite numbers, got {given}")
        self.start = position, velocity

    # -- asking -----------------------------------------------------------------------------------

    @property
    def nc(self) -> int:
        """Number of constraint rows."""
        return sum(constraint.count for constraint in self.constraints)

    @property
    def np(self) -> int:
        """Number of points of contact."""
        return sum(len(pair.balls) for pair in self.contacts)

    @property
    def timed(self) -> bool:
        """Whether anything depends on time."""
        return any(constraint.time for constraint in self.constraints)

    def __copy__(self) -> Mechanism:
        """A mechanism that shares its parts with this one, but can be changed apart from it."""
        made = object.__new__(type(self))
        parts = {"bodies": list(self.bodies), "constraints": list(self.constraints), "_by_name": dict(self._by_name)}
        parts["contacts"] = list(self.contacts)
        vars(made).update(vars(self), **parts)
        return made

    def __reduce__(self) -> tuple[object, ...]:
        """Pickled as its parts, which may hold functions of the user's own."""
        return _again, (type(self), Parcel(vars(self)))

    def __repr__(self) -> str:
        return f"<Mechanism {self.name!r}: {self.size}>"

    @property
    def size(self) -> str:
        """How many bodies, and how they may move, as a phrase."""
        held = len(self.constraints)
        moving = f"{self.nv} velocities, {held} constraint{'' if held == 1 else 's'}"
        return f"{self.nb} bodies, {moving if held else f'{self.nv} degrees of freedom'}"

    # -- checking and compiling -------------------------------------------------------------------

    def check(self) -> list[Problem]:
        """All problems of this mechanism, rule by rule; an empty list when it is sound."""
        return find_problems(self)

    def hints(self) -> list[Problem]:
        """What is no mistake but worth knowing, such as light bodies that carry very heavy ones; often empty."""
        return find_hints(self)

    def validate(self) -> None:
        """Raise a ModelError that lists all problems, if there are any."""
        _refuse(self, self.check())

    @named_options
    def compile(
        self, algorithm: str = "auto", dtype: str = "float64", form: str = "auto", width: int | None = None,
        vary: Sequence[str] = (),
    ) -> Model:  # fmt: skip
        """Check the mechanism, write its equations of motion and compile them.

        `algorithm` is the formulation of forward dynamics: "auto" takes the one with the fewest operations, others are
        "recursive", "articulated-body", "composite-rigid-body", "lagrangian", "redmax", ... `dtype` is "float64" or
        "float32". `form` is "straight" (one program), "kernels" (one per class of bodies, in loops) or "auto"; `width`
        is how many states of a batch run at once (default: what the processor's registers hold). `vary` names
        parameters that will be set again and again, such as "rod/mass": whatever values they get, also exactly 0 or 1,
        nothing is compiled again.
        """
        with postponed():
            from anyjoint.model import compile_model  # which stands above

            _refuse(self, find_problems(self, but="regular"))  # forward dynamics alone cares about that
            return compile_model(self, algorithm=algorithm, dtype=dtype, form=form, width=width, vary=vary)


def _again(kind: type[Mechanism], parts: Parcel) -> Mechanism:
    made = kind.__new__(kind)
    vars(made).update(parts.content)
    return made


def _refuse(mech: Mechanism, problems: Sequence[Problem]) -> None:
    """Raise a ModelError that lists the problems, if there are any."""
    if problems:
        raise ModelError(report(f"mechanism {mech.name!r}", problems)) from next(
            (p.cause for p in problems if p.cause), None
        )
