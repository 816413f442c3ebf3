"""Trying out a joint that a user wrote, at random places of its domain."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from anyjoint.errors import JointError, SingularityError
from anyjoint.joints import Coordinate, FunctionJoint, Joint, Prismatic, Revolute
from anyjoint.joints.parameters import parameters
from anyjoint.scalar import Scalar, at_numbers, failure
from anyjoint.spatial import Matrix, Pose, Vector, rotation_problem

if TYPE_CHECKING:
    from anyjoint.mechanism import Mechanism

PROBES = 5
RANK_TOLERANCE = 1e-9
SAME = 1e-7  # rounding is far below this, other formulas far above
FAR = 10.0  # an unbounded domain is probed this far from its neutral value


def needs_probing(joint: Joint) -> bool:
    """True if a joint holds code or formulas of the user's; the library's own were checked when they were made."""
    if type(joint) in (Revolute, Prismatic):
        return False  # an axis and limits: numbers
    return not type(joint).__module__.startswith("anyjoint.joints.") or _holds_function(joint)


def made_of_pieces(joint: Joint) -> bool:
    """True if a joint may be made of pieces that do not fit together smoothly; the library's own do, but for one."""
    from anyjoint.geometry.functions import PiecewiseLinear  # which only runs ask for

    return needs_probing(joint) or _holds(joint, lambda thing: isinstance(thing, PiecewiseLinear))


def _holds_function(thing: Any) -> bool:
    return _holds(thing, lambda x: not dataclasses.is_dataclass(x) and callable(x))


def _holds(thing: Any, wanted: Callable[[Any], bool]) -> bool:
    """Whether something of the wanted kind is among what a joint was made of."""
    if isinstance(thing, (int, float, str)):
        return False  # most of what a joint holds
    if isinstance(thing, (list, tuple)):
        return any(_holds(item, wanted) for item in thing)
    owner = getattr(thing, "__self__", None)
    if owner is not None and _is_curve(owner):  # the point method of a curve whose numbers are fixed
        return _holds(owner, wanted)
    if wanted(thing):
        return True
    if dataclasses.is_dataclass(thing) and not isinstance(thing, type):
        return any(_holds(getattr(thing, f.name), wanted) for f in dataclasses.fields(thing))
    return False


def _is_curve(thing: Any) -> bool:
    from anyjoint.geometry.curves import Curve  # most robots have none

    return isinstance(thing, Curve)


def random_coordinates(joint: Joint, rng: np.random.Generator) -> Vector:
    """Coordinates inside the joint's domain."""
    return np.array([_sample(c, rng) for c in joint.coordinates], dtype=float)


def anywhere(mech: Mechanism, rng: np.random.Generator) -> Vector:
    """Coordinates of a mechanism inside the domains of its joints; quaternions where they have their length."""
    parts = [np.zeros(0)]
    for body in mech.bodies:
        q = random_coordinates(body.joint, rng)
        neutral = np.array([c.neutral for c in body.joint.coordinates])
        parts.append(q if body.joint.rates_are_velocities else neutral)
    return np.concatenate(parts)


def undefined(error: Exception) -> bool:
    """Whether a function of a user's has no value at a place, as the root of a negative number has none."""
    return isinstance(error, SingularityError) or isinstance(error.__cause__, (ValueError, ArithmeticError))


def _sample(c: Coordinate, rng: np.random.Generator) -> float:
    lo, hi = sorted((max(c.domain[0], c.neutral - FAR), min(c.domain[1], c.neutral + FAR)))
    return float(rng.uniform(lo + 0.02 * (hi - lo), hi - 0.02 * (hi - lo)))  # off the very ends


def joint_problems(joint: Joint, leader: Joint | None = None) -> list[tuple[str, Exception | None]]:
    """What is wrong with a joint's function, a sentence and its cause each; a leader's coordinates move a follower."""
    rng = np.random.default_rng(20061)
    places = [[float(x) for x in random_coordinates(leader or joint, rng)] for _ in range(PROBES)]
    poses: list[Matrix] = []
    jacobians: list[Matrix] = []
    q: Sequence[Any] = ()
    try:
        for q in places:
            poses.append(joint_pose(joint, q).matrix)
            sentence = pose_problem(poses[-1])
            if sentence:
                return [(f"{_kind(joint)}{at_numbers(q)} {sentence}", None)]
        q = places[0]
        if not np.array_equal(joint_pose(joint, q).matrix, poses[0]):
            return [(f"{_kind(joint)}{at_numbers(q)} {FICKLE}", None)]
        q = expressions(leader or joint)
        entries = list(joint_pose(joint, q).matrix.flat)
        for place, T in zip(places, poses, strict=True):
            if not np.allclose(evaluate(entries, q, place), T.ravel(), rtol=SAME, atol=SAME):
                return [(f"{_kind(joint)}{at_numbers(place)} {TWO_FACED}", None)]
        for q in places if joint.nv else ():
            jacobians.append(numeric(joint.jacobian(q)))
    except Exception as error:  # a user's function may raise anything; the report names it
        return [_told(joint, error, q)]
    return [(f"{_kind(joint)}: {sentence}", None) for sentence in _rank_problems(joint, jacobians)]


FICKLE = (
    "gives another pose when it is called again; it must depend on its coordinates alone: take random numbers, "
    "counters and clocks out, or draw them once outside of the function"
)
TWO_FACED = (
    "gives another pose for expressions, which are compiled, than for plain numbers; it must not ask what its "
    "coordinates are (isinstance, ==): use aj.select for cases"
)

TRIED = f"at any of {PROBES} random places in its domain"


def _told(joint: Joint, error: Exception, q: Sequence[Any]) -> tuple[str, Exception]:
    """The sentence for what a joint raised, and the error that it began with."""
    if isinstance(error, (JointError, SingularityError)):  # they have a sentence already
        return str(error), error.__cause__ if isinstance(error.__cause__, Exception) else error
    return str(failure(_kind(joint), error, q)), error


def expressions(joint: Joint) -> list[Any]:
    """Coordinates as the compiler sees them; which stands above physics."""
    from anyjoint.symbolic import Graph

    graph = Graph()
    return [graph.variable(f"q{k}", c.domain) for k, c in enumerate(joint.coordinates)]


def variables(joint: Joint, q: Sequence[Any]) -> list[Any]:
    """The numbers of a joint that may change, as the compiler sees them, beside its coordinates."""
    return [q[0].graph.variable(".".join(p.path), p.domain, p.bounds) for p in parameters(joint)]


def depends(entries: Sequence[Any], q: Sequence[Any]) -> bool:
    """Whether expressions depend on some of the variables q."""
    from anyjoint.symbolic.rewrite import dependencies

    found = dependencies(list(entries))
    return any(x.id == y.id for x in found for y in q)


def evaluate(entries: Sequence[Any], q: Sequence[Any], place: Sequence[float]) -> list[float]:
    """Values of expressions at a place; plain numbers are what they are."""
    from anyjoint.symbolic import evaluate as evaluate_nodes

    return [float(x) for x in evaluate_nodes(entries, dict(zip(q, place, strict=True)))]


def joint_pose(joint: Joint, q: Sequence[Scalar]) -> Pose:
    """The pose of a joint at its own coordinates, or of a coupled joint at those of its leader."""
    return joint.inner.pose(joint.inner_coordinates(q))


def pose_problem(T: Matrix) -> str | None:
    """A sentence if a 4x4 matrix is not a finite rigid motion."""
    if T.shape != (4, 4) or T.dtype.kind != "f":
        return f"must return a Pose or a 4x4 matrix of real numbers, got shape {T.shape} of {T.dtype}"
    if not np.isfinite(T).all():
        return f"returns a pose that is not finite: {T.tolist()}; choose a domain without singular places"
    problem = rotation_problem(T[:3, :3])
    if problem:
        return f"returns what is not a rotation ({problem}); build it from Pose rotations"
    return None


def numeric(S: Matrix) -> Matrix:
    """An object matrix of numbers as floats."""
    return np.asarray(S, dtype=float)


def _rank_problems(joint: Joint, jacobians: list[Matrix]) -> list[str]:
    """Coordinates that move nothing anywhere, or the same thing everywhere."""
    if not joint.nv:
        return []
    if not all(np.isfinite(S).all() for S in jacobians):
        return ["its derivatives are not finite; choose a domain without singular places"]
    idle = [k for k in range(joint.nv) if all(np.abs(S[:, k]).max() < 1e-12 for S in jacobians)]
    if idle:
        names = ", ".join(_velocity_name(joint, k) for k in idle)
        return [
            f"its pose does not change with coordinate {names} {TRIED}: use it in the function or lower dof; "
            "if it moves something elsewhere, say where with domain="
        ]
    values = [np.linalg.svd(S / np.linalg.norm(S, axis=0).clip(1e-300), compute_uv=False) for S in jacobians]
    if all(s[-1] < RANK_TOLERANCE * s[0] for s in values):
        return [
            f"its {joint.nv} coordinates do not allow as many independent motions {TRIED}: remove the redundant ones, "
            "or give the domain= where they are independent"
        ]
    return []


def _velocity_name(joint: Joint, k: int) -> str:
    return repr(joint.coordinates[k].name) if joint.rates_are_velocities else f"velocity {k}"


def _kind(joint: Joint) -> str:
    return joint.described if isinstance(joint, FunctionJoint) else f"joint {type(joint).__name__}"
