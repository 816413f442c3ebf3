"""What the kernel of a push or a resistance sees: where its links are, how they move, its coordinates, its numbers."""

from __future__ import annotations

from collections.abc import Sequence

from anyjoint.codegen import Place
from anyjoint.codegen.builder import Builder
from anyjoint.frozen import frozen
from anyjoint.mechanism import Mechanism
from anyjoint.scalar import Scalar
from anyjoint.spatial import vector
from anyjoint.tree.closures import ClosedPlan

from .body_trace import entries_of
from .constrained import poses_of
from .constraint_program import Seen
from .layout import Layout
from .numbers import Pattern
from .pushes import Spot, split_numbers
from .sketch import Sketch

SEEN = ("R", "p", "v")
Exact = tuple[tuple[Pattern, ...], ...]  # of each link, what is exact about its rotation, its place and its twist


@frozen
class Sights:
    """Where things stand that kernels load."""

    builder: Builder
    mechanism: Mechanism
    closed: ClosedPlan
    frames: Layout

    def exact(self, spot: Spot) -> Exact:
        """What is exact about where links are and how they move."""
        traces = self.frames.tracer.traces[-1]
        values = [traces[self.closed.at[link]].values for link in spot.links]
        return tuple(tuple(entries_of(own[name][0]) for name in SEEN) for own in values)

    def places(self, spot: Spot) -> list[Place]:
        """Where links and coordinates stand, in the order in which they are loaded."""
        work, results = self.builder.work_array, self.frames.results
        places = [Place(work, results[name][self.closed.at[link]]) for link in spot.links for name in SEEN]
        for body, index in spot.push.coordinates:
            own = self.mechanism.bodies[body]
            places.append(self.builder.place("q", own.q.start + index))
            places.append(self.builder.place("v", own.v.start + (own.joint.velocity_of(index) or 0)))
        return places


def loaded(
    sketch: Sketch, spot: Spot, numbers: Pattern, seen: Exact
) -> tuple[list[Seen], list[Scalar], list[Scalar], Sequence[Scalar]]:
    """The bodies, coordinates, their rates and the numbers of a push; loads are in the order of their places."""
    X, own = split_numbers(sketch.raw(numbers), spot.push)
    bodies = []
    for frame, parts in zip(poses_of(X), seen, strict=True):
        R, p, v = (vector(*sketch.load(name, "lane", known)) for name, known in zip(SEEN, parts, strict=True))
        bodies.append(Seen(R.reshape(3, 3), p, v[:3], v[3:], frame))
    q, qd = [], []
    for _ in spot.joints:
        q += sketch.load("q", "row", [None])
        qd += sketch.load("v", "row", [None])
    return bodies, q, qd, own
