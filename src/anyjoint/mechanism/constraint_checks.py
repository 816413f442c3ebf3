"""What makes constraints sound: something to hold, functions that say the same for numbers and expressions.

A function is tried out at random places, with random velocities.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from anyjoint.constraints import Constraint, FunctionConstraint, Rows
from anyjoint.errors import AnyjointError, InputError
from anyjoint.frozen import frozen
from anyjoint.scalar import is_number
from anyjoint.spatial import Matrix, Pose, Translation, Turn, Twist, Vector, vector

from .probing import PROBES, SAME, anywhere, evaluate, undefined

if TYPE_CHECKING:
    from .mechanism import Mechanism

Finding = Iterator[tuple[str, str] | tuple[str, str, Exception | None]]  # where, a sentence, and what caused it
NOTHING = 1e-12  # a derivative below this is none
FLAT = 1e-5  # a derivative below this share of what it is elsewhere holds nothing


def movable(mech: Mechanism, _: object) -> Finding:
    """Bodies that a constraint is about can move against each other."""
    for constraint in mech.constraints:
        if constraint.coordinates or not constraint.bodies:
            continue
        bodies = [*constraint.bodies, *([-1] if len(constraint.bodies) == 1 else [])]
        carriers = {carrier(mech, body) for body in bodies}
        if len(carriers) == 1 and (carriers == {-1} or not _of_places(mech, constraint)):
            names = " and ".join(repr(mech.bodies[k].name if k >= 0 else mech.ground.name) for k in bodies)
            yield (
                constraint.described,
                f"nothing moves between {names}, which are welded together, so there is nothing to hold; "
                "give one of them a joint, or leave the constraint out",
            )


def _of_places(mech: Mechanism, constraint: Constraint) -> bool:
    """Whether a function of bodies that move as one is of more than how they lie to each other, which stays."""
    if not isinstance(constraint, FunctionConstraint):
        return False
    if constraint.function.velocity or constraint.time:
        return True
    rng, q = np.random.default_rng(20061), mech.neutral
    moves = [Pose(), *(Pose.translation(*rng.normal(size=3)) @ Pose.rpy(*rng.normal(size=3)) for _ in range(PROBES))]
    try:
        poses = _poses(mech, q)
        probes = [_probe(mech, constraint, q, [move @ pose for pose in poses], rng) for move in moves]
        values = [_values(constraint, probe) for probe in probes]
    except AnyjointError:  # told elsewhere
        return True
    return not all(np.allclose(x, values[0], rtol=SAME, atol=SAME, equal_nan=True) for x in values)


def carrier(mech: Mechanism, body: int) -> int:
    """The body that this one is welded to, which moves by itself."""
    while body >= 0 and not mech.bodies[body].joint.nv and not hasattr(mech.bodies[body].joint, "source"):
        body = mech.bodies[body].parent
    return body


def functions(mech: Mechanism, _: object) -> Finding:
    """Functions of users always give the same number of finite rows, which depend on what they name."""
    probed: set[Any] = set()  # one function may serve many constraints
    for constraint in mech.constraints:
        if not isinstance(constraint, FunctionConstraint):
            continue
        wraps = tuple(mech.bodies[body].joint.coordinates[k].wrap for body, k in constraint.coordinates)
        key = id(constraint.function.function), len(constraint.bodies), wraps, constraint.time
        if key not in probed:
            probed.add(key)
            yield from ((constraint.described, *found) for found in _problems(mech, constraint))


@frozen
class Probe:
    """A state at which a function is tried out; bodies have poses and twists at random, on the mechanism's own."""

    bodies: list[_Moving]
    q: list[float]
    qd: list[float]
    t: float


@frozen
class _Moving:
    """A body as a constraint sees it."""

    R: Matrix
    p: Vector
    w: Vector
    u: Vector
    X: Pose = Pose()  # an immutable value


def _problems(mech: Mechanism, constraint: FunctionConstraint) -> Iterator[tuple[str, Exception | None]]:
    rng = np.random.default_rng(20061)
    starts = [mech.start[0]] if mech.start is not None and len(mech.start[0]) == mech.nq else []
    places = [*starts, *(anywhere(mech, rng) for _ in range(PROBES))]
    try:
        probes = [_probe(mech, constraint, q, _poses(mech, q), rng) for q in places]
        rows = [_rows(constraint, p) for p in probes]
        values = [_values(constraint, p) for p in probes]
        if not np.array_equal(_values(constraint, probes[-1]), values[-1], equal_nan=True):
            yield FICKLE, None
            return
        traced = [_as_compiled(constraint, p) for p in probes]
    except AnyjointError as error:  # it has a sentence already
        yield str(error).removeprefix(f"{constraint.described} "), error
        return
    finite = [found is not None and bool(np.isfinite(x).all()) for found, x in zip(rows, values, strict=True)]
    if not any(finite) or (starts and not finite[0]):
        where = "at the start" if starts and not finite[0] else f"at any of {PROBES} random places"
        yield f"its rows or their derivatives are not finite {where}; they must be defined where the mechanism is", None
        return
    good = [k for k, ok in enumerate(finite) if ok]
    if not all(np.allclose(traced[k], values[k], rtol=SAME, atol=SAME) for k in good):
        yield TWO_FACED, None
        return
    yield from _unwrapped(mech, constraint, [probes[k] for k in good])
    if constraint.function.velocity:
        yield from _curved(constraint, [probes[k] for k in good])
    yield from _idle(constraint, [found for found in rows if found is not None])
    if starts and (row := _flat(constraint, rows[0], rows[1:])) is not None:
        yield f"row {row} {SLOPELESS.format('the start')}", None


FICKLE = (
    "gives another answer when it is called again; it must depend on its arguments alone: take random numbers, "
    "counters and clocks out, or draw them once outside of the function"
)
SLOPELESS = (
    "has no slope at {}: all its derivatives vanish there, though not elsewhere, so it cannot hold; "
    "do not square what is to be zero, but return it as it is, one row for each direction"
)
WRAPS = (
    "it would jump where coordinate {name!r} wraps (whole periods of {period} are taken off while it runs); "
    "give the joint wrap=False, or write a function of that period"
)
TWO_FACED = (
    "gives another answer for expressions, which are compiled, than for plain numbers; it must not ask what its "
    "arguments are (isinstance, ==): use aj.select for cases"
)


def _poses(mech: Mechanism, q: Vector) -> list[Pose]:
    return mech.poses([float(x) for x in q])


def _probe(
    mech: Mechanism, constraint: FunctionConstraint, q: Vector, poses: Sequence[Pose], rng: np.random.Generator
) -> Probe:
    bodies = []
    for k in constraint.bodies:
        pose = poses[k] if k >= 0 else Pose()
        twist = [float(x) for x in rng.normal(size=6)] if k >= 0 else [0.0] * 6
        bodies.append(_Moving(pose.R, pose.p, vector(*twist[:3]), vector(*twist[3:])))
    own = [float(q[mech.bodies[body].q][k]) for body, k in constraint.coordinates]
    return Probe(bodies, own, [float(x) for x in rng.normal(size=len(own))], float(rng.uniform(0, 2)))


def _values(constraint: FunctionConstraint, probe: Probe, own: float = 1.0, others: float = 0.0) -> Vector:
    """What the function gives, at so many times the velocities of the probe, and some others that point elsewhere."""
    poses = [Pose((Translation(tuple(b.p)), Turn(b.R))) for b in probe.bodies]
    twists = [Twist(own * b.w - 2 * others * b.u, own * b.u - 3 * others * b.w) for b in probe.bodies]
    rates = [own * x - 2 * others * y for x, y in zip(probe.qd, reversed(probe.qd), strict=True)]
    try:
        made = constraint.function.entries(constraint.arguments(poses, twists, probe.q, rates, probe.t))
    except AnyjointError as error:
        if not undefined(error):
            raise
        return np.full(constraint.count, np.nan)
    return np.array([float(x) for x in made])


def _as_compiled(constraint: FunctionConstraint, probe: Probe) -> Vector:
    """What the function gives for expressions, evaluated where the probe is."""
    from anyjoint.symbolic import Graph  # the compiler, which stands above physics

    graph = Graph()
    numbers: list[float] = []

    def some(values: Sequence[Any]) -> list[Any]:
        numbers.extend(float(x) for x in values)
        return [graph.variable(f"x{k}") for k in range(len(values))]

    names: list[Any] = []
    poses, twists = [], []
    for body in probe.bodies:
        R, p, w, u = (some(list(part.flat)) for part in (body.R, body.p, body.w, body.u))
        names += [*R, *p, *w, *u]
        poses.append(Pose((Translation(tuple(p)), Turn(vector(*R).reshape(3, 3)))))
        twists.append(Twist(vector(*w), vector(*u)))
    q, qd, (t,) = some(probe.q), some(probe.qd), some([probe.t])
    made = constraint.function.entries(constraint.arguments(poses, twists, q, qd, t))
    if len(made) != constraint.count:
        return np.full(constraint.count, np.inf)
    plain = [x if not is_number(x) else graph.constant(float(x)) for x in made]
    return np.array(evaluate(plain, [*names, *q, *qd, t], numbers))


def _rows(constraint: FunctionConstraint, probe: Probe) -> Rows | None:
    """The rows with their derivatives; None where they are not defined."""
    try:
        rows = constraint.rows(probe.bodies, probe.q, probe.qd, probe.t)
    except AnyjointError as error:
        if not undefined(error):
            raise
        return None
    parts = (*rows.K, *rows.N, rows.rate, rows.gamma)
    return rows if all(np.isfinite(np.asarray(x, dtype=float)).all() for x in parts) else None


def check_slopes(mech: Mechanism, q: Vector) -> None:
    """Refuse a place where rows on positions are zero but do not change in first order: a rod of no length."""
    rng = np.random.default_rng(20061)
    places = [(x, _poses(mech, x)) for x in (q, anywhere(mech, rng))]
    for constraint in mech.constraints:
        if isinstance(constraint, FunctionConstraint):
            here, there = (_rows(constraint, _probe(mech, constraint, *place, rng)) for place in places)
            if (row := _flat(constraint, here, [there])) is not None:
                raise InputError(f"{constraint.described}: row {row} {SLOPELESS.format('the state that was found')}")


def _flat(constraint: FunctionConstraint, here: Rows | None, elsewhere: Sequence[Rows | None]) -> int | None:
    """The first row that holds nothing at a place, but does elsewhere; soft ones and those on velocities need not."""
    found = [rows for rows in elsewhere if rows is not None]
    if here is None or not found or constraint.compliance or constraint.function.velocity:
        return None
    flat = (_pulls(here, row) < FLAT * max(_pulls(rows, row) for rows in found) for row in range(constraint.count))
    return next((row for row, yes in enumerate(flat) if yes), None)


def _pulls(rows: Rows, row: int) -> float:
    """The largest derivative of a row."""
    return max((abs(float(x)) for part in (*rows.K, *rows.N) for x in np.ravel(part[..., row])), default=0.0)


def _curved(constraint: FunctionConstraint, probes: Sequence[Probe]) -> Iterator[tuple[str, None]]:
    """Rows that are not linear in velocities: f(v + w) - f(v) - f(w) + f(0); lengths of velocities are not, too."""
    for probe in probes:
        both, v, w, still = (_values(constraint, probe, *x) for x in ((1, 1), (1, 0), (0, 1), (0, 0)))
        bend = np.abs(both - v - w + still)
        row = int(bend.argmax())
        if bend[row] > SAME * max(1.0, float(np.abs([both, v, w]).max())):
            yield (
                (
                    f"row {row} is not linear in velocities: f(v + w) - f(v) - f(w) + f(0) = {bend[row]:.3g}, not 0; "
                    "write a sum of velocities times functions of positions, or a constraint on positions with "
                    "@aj.constraint"
                ),
                None,
            )
            return


def _unwrapped(mech: Mechanism, constraint: FunctionConstraint, probes: Sequence[Probe]) -> Iterator[tuple[str, None]]:
    """Rows that tell a coordinate from itself a period later, though runs take whole periods off."""
    for place, (index, k) in enumerate(constraint.coordinates):
        coordinate = mech.bodies[index].joint.coordinates[k]
        if not (coordinate.wrap and coordinate.period):
            continue
        turned = [replace(p, q=[x + coordinate.period * (n == place) for n, x in enumerate(p.q)]) for p in probes]
        pairs = [(_values(constraint, p), _values(constraint, p2)) for p, p2 in zip(probes, turned, strict=True)]
        if not all(np.allclose(a, b, rtol=SAME, atol=SAME) for a, b in pairs):
            name, period = mech.bodies[index].coordinate_names[k], f"{coordinate.period:g}"
            yield WRAPS.format(name=name, period=period), None


def _idle(constraint: FunctionConstraint, found: Sequence[Rows]) -> Iterator[tuple[str, None]]:
    """Rows that nothing moves."""
    for row in range(constraint.count):
        if max((_pulls(rows, row) for rows in found), default=0.0) < NOTHING:
            what = "velocities" if constraint.function.velocity else "positions"
            yield (
                (
                    f"row {row} does not depend on the {what} of what the constraint names, so nothing can hold it; "
                    "leave it out, or name the body or coordinate that it is about"
                ),
                None,
            )
