"""The rows of one kind of constraint as a kernel.

It loads where the links that a constraint touches are and how they move, and stores K, N and the right side where the
sweeps that carry unknowns load them. Entries that are exact numbers are not stored: the sweeps have them built in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from anyjoint.codegen.builder import Builder
from anyjoint.codegen.kernel import without_idle
from anyjoint.constraints import Constraint, Standing, Touched
from anyjoint.constraints.rows import Rows, giving_way
from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar
from anyjoint.spatial import Pose, Scalars, as_matrix, dot, vector, zeros

from .body_trace import entries_of
from .constrained import Question, held, poses_of, right_side
from .constraint_program import ConstraintPrograms, Seen
from .numbers import Pattern
from .setup import Setup
from .sketch import Sketch

Known = tuple[tuple[tuple[Pattern, ...], ...], tuple[Pattern, ...]]  # a link's frame, part by part, and its twist


@frozen
class Sight:
    """All that the kernel of a constraint depends on, beside what it says.

    Per body: what is exact about its frame, part by part, and its twist, or None for the ground; and where the first
    body is whose rows of K it shares, or None where none are kept. Per coordinate: how many velocities its link has,
    and which of them is its rate. Then what is exact about the constraint's own frames, and -g.
    """

    seen: tuple[Known | None, ...]
    lands: tuple[int | None, ...]
    widths: tuple[tuple[int, int], ...]
    frames: Pattern
    up: Pattern
    relative: bool


@dataclass
class RowKind:
    """A kernel, which of the arguments that were sketched it has, the numbers last, and entries that it loads."""

    kernel: int
    setup: Setup
    used: list[int]
    loaded: list[set[int]]  # per sketched argument
    feeds: list[list[Scalar]]  # entries that it hands on, one list for each place where some land
    constraints: list[int] = field(default_factory=list)


def trace_rows(
    builder: Builder, programs: ConstraintPrograms, question: Question, constraint: Constraint, sight: Sight,
    timed: bool, still: bool,
) -> RowKind:  # fmt: skip
    """Trace the rows of a kind of constraints; `still` if nothing moves, so that no velocities are loaded.

    Arguments are in the order in which `RowKernels` lists their places.
    """
    sketch = Sketch()
    *frames, x, y, z = sketch.raw((*sight.frames, *sight.up))
    bodies = [_body(sketch, known, X) for known, X in zip(sight.seen, poses_of(frames), strict=True)]
    q: list[Scalar] = []
    qd: list[Scalar] = []
    for _ in constraint.coordinates:
        q += sketch.load("q", "row", [None])
        qd += [0] if still else sketch.load("v", "row", [None])
    t = sketch.load("t", "row", [None])[0] if timed else 0.0
    h = sketch.load("h", "row", [None])[0] if question.implicit else None
    rows = programs.rows(sketch.graph, constraint, bodies, q, qd, t)
    if question.right is None:  # errors themselves are asked for
        feeds = []
        for name, values in (("position", held(rows)), ("velocity", rows.rate)):
            at = sketch.argument(name, "row")
            for k, value in enumerate(values):
                sketch.store(at, k, value)
    else:
        feeds = _store(sketch, rows, sight, _right(constraint, rows, bodies, sight, question, h, (x, y, z)))
        if h is not None and constraint.compliance:
            feeds.append(_fed(sketch, "weight", giving_way(rows, constraint.compliance, h, 0)[1]))
    number, setup = sketch.finish(builder)
    builder.kernels[number], used = without_idle(builder.kernels[number])
    loaded: list[set[int]] = [set() for _ in sketch.arrays]
    for argument, entry in builder.kernels[number].loads.values():
        if used[argument] < len(loaded):
            loaded[used[argument]].add(entry)
    return RowKind(number, setup, used, loaded, feeds)


def _body(sketch: Sketch, known: Known | None, X: Pose) -> Touched:
    """A link as a constraint sees it: from the hub below, from the one below that, and so on."""
    if known is None:
        return Standing(X)
    parts, twist = known
    R, p = as_matrix(np.eye(3, dtype=int)), zeros(3)
    for part in parts:
        turn, shift = (vector(*sketch.load("x", "lane", entries)) for entries in part)
        turn = turn.reshape(3, 3)
        R, p = turn @ R, turn @ p + shift
    v = vector(*sketch.load("x", "lane", twist[0])) if twist else zeros(6)
    return Seen(R, p, v[:3], v[3:], X)


def _right(
    constraint: Constraint,
    rows: Rows,
    bodies: Sequence[Touched],
    sight: Sight,
    question: Question,
    h: Scalar,
    up: tuple[Scalar, ...],
) -> list[Scalar]:
    """The right side. Links' accelerations are counted against gravity, in relative rows the ground's, too."""
    right = list(right_side(constraint, rows, question, h))
    if question.at_rest or constraint.compliance:
        return right
    for body, K, lands in zip(bodies, rows.K, sight.lands, strict=True):
        if lands is None and sight.relative:
            right = [x + dot(K[3:, k], up) for k, x in enumerate(right)]
        elif lands is not None and not sight.relative:
            right = [x - dot(K[3:, k], body.R.T @ vector(*up)) for k, x in enumerate(right)]
    return right


def _store(sketch: Sketch, rows: Rows, sight: Sight, right: Sequence[Scalar]) -> list[list[Scalar]]:
    """Store K, N and the right side; what is exact in each place where some land."""
    feeds: list[list[Scalar]] = []
    for k, (K, lands) in enumerate(zip(rows.K, sight.lands, strict=True)):
        if lands is None:
            continue
        several = sight.lands.count(lands) > 1
        feeds.append(_fed(sketch, "K", list(K.T.ravel()), several=several, add=lands != k))
    for N, (width, index) in zip(rows.N, sight.widths, strict=True):
        feeds.append(_fed(sketch, "N", list(N), width, index))
    return [*feeds, _fed(sketch, "gamma", right)]


def _fed(
    sketch: Sketch,
    name: str,
    values: Scalars,
    stride: int = 1,
    begin: int = 0,
    several: bool = False,
    add: bool = False,
) -> list[Scalar]:
    """Store the values that are not exact, or all of them where several meet; answer with those that are."""
    exact = [None] * len(values) if several else list(entries_of(values))
    at = sketch.argument(name, "lane")
    for k, x in enumerate(values):
        if exact[k] is None:
            sketch.store(at, stride * k + begin, x, add)
    return exact
