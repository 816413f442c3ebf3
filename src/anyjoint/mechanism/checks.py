"""What makes a mechanism sound: one list of named rules, all problems reported together."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING

import numpy as np

from anyjoint.errors import ModelError
from anyjoint.frozen import frozen
from anyjoint.geometry.check import INTERVAL, is_interval
from anyjoint.joints import Coordinate, Prismatic, Revolute
from anyjoint.joints.parameters import parameters
from anyjoint.scalar import Scalar
from anyjoint.spatial import Factor, Pose, Rotation, Translation

from . import constraint_checks
from .inertia import are_definite
from .probing import joint_problems, needs_probing
from .singular import singular_coordinates

if TYPE_CHECKING:
    from .body import Body
    from .mechanism import Mechanism


@frozen
class Problem:
    """One broken rule: which, where, and a sentence with what was given, what was expected and what to do."""

    rule: str
    where: str
    message: str
    cause: Exception | None = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        return f"{self.where}: {self.message} [{self.rule}]"


MOST_TOLD = 1000
Bodies = Sequence["Body"]
Finding = constraint_checks.Finding


def report(what: str, problems: Sequence[Problem]) -> str:
    """All problems of something as one text; of very many, how many more."""
    count = f"{len(problems):,} problem{'s' if len(problems) > 1 else ''}"
    more = [f"  - and {len(problems) - MOST_TOLD:,} more"] if len(problems) > MOST_TOLD else []
    return f"{what} has {count}:\n" + "\n".join([*(f"  - {p}" for p in problems[:MOST_TOLD]), *more])


def find_problems(mech: Mechanism, before: Mapping[int, Body] | None = None, but: str = "") -> list[Problem]:
    """All problems of a mechanism. Later rules assume a tree of joints that can be evaluated, else the list ends.

    `before` are the bodies of a sound mechanism that have been replaced since: only those are looked at again. `but`
    is a rule that does not matter.
    """
    bodies = mech.bodies if before is None else [body for body in mech.bodies if _is_new(mech, body, before)]
    problems: list[Problem] = []
    for name, rule in RULES:
        known = before is not None and (rule in STRUCTURE or (rule is regular and _as_heavy(mech, before)))
        if known or name == but:
            continue
        found = [Problem(name, *finding) for finding in rule(mech, bodies)]
        problems += found
        if (problems and name == LAST_STRUCTURAL) or (found and rule is joint_functions):
            break
    return problems


def _is_new(mech: Mechanism, body: Body, before: Mapping[int, Body]) -> bool:
    """Whether a body has been replaced, or follows one that has."""
    return body.index in before or mech.leader(body).index in before


def _as_heavy(mech: Mechanism, before: Mapping[int, Body]) -> bool:
    """Whether no body has lost inertia in any direction, so that what was regular still is."""
    for i, old in before.items():
        new = mech.bodies[i]
        a, b = old.inertia, new.inertia
        same = np.array_equal(a.com, b.com) and np.array_equal(a.tensor, b.tensor) and (a.mass > 0) == (b.mass > 0)
        lost = any(x > 0 >= y for x, y in zip(old.armature, new.armature, strict=True))
        if lost or not (same or b.is_definite):
            return False
        if new.joint is not old.joint or new.placement is not old.placement:
            return all(are_definite([body.inertia for body in mech.bodies]))
    return True


def not_empty(mech: Mechanism, _: Bodies) -> Finding:
    """There is something to move."""
    if not mech.bodies:
        yield _of(mech), "it has no bodies; add one with mech.add_body(name, joint=..., inertia=...)"


def names(mech: Mechanism, _: Bodies) -> Finding:
    """Names are non-empty and unique."""
    seen: set[str] = set()
    for body in mech.bodies:
        if not isinstance(body.name, str) or not body.name.strip():
            yield f"body {body.index}", f"its name {body.name!r} must be a non-empty text"
        elif body.name in seen:
            yield _of(body), "there are two bodies of this name; give each its own"
        seen.add(body.name)


def parents(mech: Mechanism, _: Bodies) -> Finding:
    """Parents exist and come first, so the tree has no cycles."""
    for index, body in enumerate(mech.bodies):
        if body.index != index:
            yield _of(body), f"it is number {index} of the list but says {body.index}; add bodies with mech.add_body"
        elif not -1 <= body.parent < mech.nb:
            yield _of(body), f"its parent {body.parent} does not exist; give a body, its name, or mech.ground"
        elif body.parent >= index:
            loop = " -> ".join(repr(name) for name in _loop(mech, index))
            yield _of(body), f"its parent was not added before it, which closes a loop ({loop}); a mechanism is a tree"


def _loop(mech: Mechanism, index: int) -> list[str]:
    seen: list[int] = []
    while index >= 0 and index not in seen:
        seen.append(index)
        index = mech.bodies[index].parent
    return [mech.bodies[k].name for k in seen]


def couplings(mech: Mechanism, _: Bodies) -> Finding:
    """A coupled joint's source exists and has coordinates of its own."""
    for body in mech.followers:
        source = str(body.joint.follows)
        if source not in mech:
            yield _of(body), f"its coupled joint follows {source!r}, which is no body; name one with a joint of its own"
        elif (leader := mech[source].joint).follows:
            yield _of(body), f"its coupled joint follows {source!r}, itself coupled; add {source!r} before it"
        elif mech[source].contact:
            yield _of(body), f"its coupled joint follows {source!r}, whose coordinates change with its contact"
        elif leader.nq == 0:
            yield _of(body), f"its coupled joint follows {source!r}, which has no coordinates to follow"
        elif not leader.rates_are_velocities:
            kind = type(leader).__name__
            yield _of(body), f"its coupled joint follows {source!r}, but velocities of {kind} are no rates to follow"
        for c in body.joint.inner.coordinates:
            if c.limits != Coordinate.limits:
                yield _of(body), (
                    f"limits {c.limits} of {c.name!r} inside a coupled joint hold nothing, since {source!r} leads; "
                    f"give limits to {source!r}"
                )


def coordinates(mech: Mechanism, bodies: Bodies) -> Finding:
    """Coordinates have their own names, ordered limits and domains, and a neutral value inside."""
    for body in bodies:
        seen: set[str] = set()
        given = body.joint.coordinates
        if given == PLAIN:
            continue
        for k, c in enumerate(given):
            where = f"{_of(body)}, coordinate {c.name!r}"
            if c.name in seen:
                yield where, "the joint has two coordinates of this name"
            seen.add(c.name)
            bad = [what for what in ("limits", "domain", "defined") if not is_interval(getattr(c, what))]
            if bad:
                yield from ((where, f"{what} {getattr(c, what)!r}: {INTERVAL}") for what in bad)
                continue
            if any(map(math.isfinite, c.limits)) and body.joint.velocity_of(k) is None:
                yield where, "limits on a coordinate whose rate is no velocity of its own; limit another coordinate"
            if c.period is not None and not (np.isfinite(c.period) and c.period > 0):
                yield where, f"period {c.period} must be positive and finite, or None"
            if not math.isfinite(c.neutral):
                yield where, f"neutral value {c.neutral} must be finite"
            elif not c.defined[0] <= c.neutral <= c.defined[1]:
                yield where, f"neutral value {c.neutral} is outside {c.defined}, where alone the joint is defined"


def placements(mech: Mechanism, bodies: Bodies) -> Finding:
    """Placements and named frames are finite rigid motions."""
    for body in bodies:
        for what, pose in (("placement", body.placement), *((f"frame {k!r}", p) for k, p in body.frames.items())):
            if not isinstance(pose, Pose):
                yield _of(body), f"{what} must be a Pose, got {type(pose).__name__}"
            elif pose.factors:
                yield from ((_of(body), f"{what} {sentence}") for sentence in _pose_problems(pose))


def _pose_problems(pose: Pose) -> Iterator[str]:
    """Poses are rigid by construction; what is left is that they be numbers, and finite."""
    numbers = [x for factor in pose.factors for x in _numbers(factor)]
    real = {*map(type, numbers)} <= {int, float} or all(isinstance(x, (int, float)) for x in numbers)
    if not (real and all(map(math.isfinite, numbers))):
        yield f"must be made of finite real numbers, got {pose!r}"


def _numbers(factor: Factor) -> Sequence[Scalar]:
    if isinstance(factor, Rotation):
        return (factor.angle,)
    return factor.p if isinstance(factor, Translation) else list(factor.R.flat)


def springs(mech: Mechanism, bodies: Bodies) -> Finding:
    """Stiffness, damping, friction and armature are finite and take no energy from nowhere."""
    for body in bodies:
        if body.joint.coordinates == PLAIN and _felt(body) == NOTHING_FELT:
            continue
        for what in ("stiffness", "damping", "armature", "friction"):
            values = getattr(body, what)
            if not all(math.isfinite(x) and x >= 0 for x in values):
                yield _of(body), f"{what} {values} must be finite and not negative"
        for what, limits in (("effort", body.effort), ("velocity", body.speed)):
            if not all(x >= 0 for x in limits):
                yield _of(body), f"{what} {limits} is a limit and must not be negative; leave it out where none is"
        if not all(math.isfinite(x) for x in body.rest):
            yield _of(body), f"rest {body.rest} must be finite"
        given = body.joint.coordinates
        turning = [c.name for c in given if c.wrap]
        for c in given:
            if c.wrap and is_interval(c.limits) and any(map(math.isfinite, c.limits)):
                yield _of(body), f"coordinate {c.name!r} has limits, so it takes no turns off; use wrap=False"
        if any(body.stiffness) and turning:
            yield _of(body), (
                f"coordinate {turning[0]!r} takes whole turns off (wrap=True), but a spring winds up over them; "
                "use wrap=False"
            )


def _felt(body: Body) -> tuple[tuple[float, ...], ...]:
    """All numbers that `springs` looks at."""
    return body.stiffness, body.damping, body.armature, body.friction, body.rest, body.effort, body.speed


def joint_parameters(mech: Mechanism, bodies: Bodies) -> Finding:
    """Numbers of joints are within the bounds that generated code relies on."""
    for body in bodies:
        for parameter in parameters(body.joint) if type(body.joint) not in AXES else ():
            low, high = parameter.bounds
            if not low <= parameter.value <= high:
                name = ".".join(parameter.path)
                yield _of(body), f"joint parameter {name} = {parameter.value}; expected a number from {low} to {high}"


def joint_functions(mech: Mechanism, bodies: Bodies) -> Finding:
    """Functions of users give rigid motions that depend on every coordinate, for numbers and for expressions."""
    probed: dict[int, list[tuple[str, Exception | None]]] = {}  # a joint shared by many bodies is probed once
    for body in bodies:
        if needs_probing(body.joint):
            if id(body.joint) not in probed:
                leader = mech.leader(body).joint if body.joint.follows else None
                probed[id(body.joint)] = joint_problems(body.joint, leader)
            yield from ((_of(body), *found) for found in probed[id(body.joint)])


def regular(mech: Mechanism, _: Bodies) -> Finding:
    """Every coordinate moves some inertia, so the mass matrix can be inverted."""
    for body, coordinate in singular_coordinates(mech):
        sentence = (
            f"moving it moves no inertia, so the mass matrix is singular (the body has mass {body.inertia.mass}, "
            f"tensor {body.inertia.tensor.tolist()}); give it or its children mass and extent, or make the joint Fixed"
        )
        yield f"{_of(body)}, coordinate {coordinate!r}", IDLE if are_definite([body.inertia])[0] else sentence


IDLE = (
    "it moves nothing, or the same as others of its joint, so the mass matrix is singular; give it a function that "
    "changes with it, or leave it out"
)


def check_regular(mech: Mechanism, but: Collection[int] = ()) -> None:
    """Refuse to divide by a singular mass matrix; the bodies in `but`, by index, need not be divided by."""
    names = {_of(mech.bodies[k]) for k in but}
    problems = [Problem("regular", *finding) for finding in regular(mech, mech.bodies)]
    problems = [problem for problem in problems if problem.where.partition(", coordinate")[0] not in names]
    if problems:
        raise ModelError("forward dynamics: " + report(f"mechanism {mech.name!r}", problems))


def _of(thing: Body | Mechanism) -> str:
    return f"{'body' if hasattr(thing, 'parent') else 'mechanism'} {thing.name!r}"


RULES: tuple[tuple[str, Callable[[Mechanism, Bodies], Finding]], ...] = (
    ("not-empty", not_empty),
    ("names", names),
    ("parents", parents),
    ("couplings", couplings),
    ("coordinates", coordinates),
    ("placements", placements),
    ("springs", springs),
    ("joint-parameters", joint_parameters),
    ("joint-functions", joint_functions),
    ("regular", regular),
    ("constraint-bodies", constraint_checks.movable),
    ("constraint-functions", constraint_checks.functions),
)
# What no parameter changes.
STRUCTURE = (not_empty, names, parents, couplings, constraint_checks.movable, constraint_checks.functions)
PLAIN = Revolute().coordinates  # what most joints of large mechanisms have
NOTHING_FELT = (*((0.0,),) * 5, *((math.inf,),) * 2)  # by one that has no springs, friction or limits
AXES = (Revolute, Prismatic)  # an axis is no run-time number
LAST_STRUCTURAL = "couplings"
