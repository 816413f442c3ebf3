"""Frenet frames turn over where the curvature of their curve passes zero: find that between two states."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from anyjoint.frozen import frozen
from anyjoint.geometry.frame import FrenetTurn
from anyjoint.joints import Joint
from anyjoint.mechanism import Mechanism
from anyjoint.mechanism.singular import SCREWS
from anyjoint.scalar.array import Floats
from anyjoint.stepper.physics import joint_key
from anyjoint.symbolic import Graph, Node
from anyjoint.symbolic.interpret import evaluate

from .way import periods_of, way

HALVINGS = 12  # a frame that turns over within 1/4096 of a step has flipped; if it takes longer, the curve just twists


@frozen(eq=False)
class Bend:
    """f' x f'' of the curve under a Frenet frame, as expressions of a joint's coordinates."""

    curve: str
    variables: tuple[Node, ...]
    outputs: tuple[object, ...]

    def values(self, q: Floats) -> Floats:
        """The vectors (n, 3) at coordinates (n, nq) of the joint."""
        given = dict(zip(self.variables, np.ascontiguousarray(q.T), strict=True))
        return np.stack(np.broadcast_arrays(*evaluate(self.outputs, given), q[:, 0])[:3], axis=-1)


@frozen(eq=False)
class FrenetWatch:
    """A Frenet frame that some body rides on; `q` are the coordinates that move it, with their periods if they wrap."""

    body: str
    names: tuple[str, ...]
    q: slice
    periods: Floats
    bend: Bend

    def first(self, t: Floats, q: Floats) -> tuple[int, float, Floats] | None:
        """The first step (k, k + 1) of a path in which the frame turns over, the share of it, and the place."""
        own = q[:, self.q]
        bends = self.bend.values(own)
        for k in np.flatnonzero((bends[1:] * bends[:-1]).sum(axis=1) < 0):
            share = self._share(own[k], own[k + 1])
            if share is not None:
                return int(k), share, own[k] + share * way(own[k], own[k + 1], self.periods)
        return None

    def _share(self, begin: Floats, end: Floats) -> float | None:
        """Where within a step the frame turns over at once, by bisection; None if it turns steadily."""
        there, low, high = way(begin, end, self.periods), 0.0, 1.0
        for _ in range(HALVINGS):
            middle = 0.5 * (low + high)
            a, b, c = self.bend.values(begin + np.array([[low], [middle], [high]]) * there)
            if a @ b < 0:
                high = middle
            elif b @ c <= 0:
                low = middle
            else:
                return None
        return 0.5 * (low + high)

    def sentence(self, at: Floats) -> str:
        """What happened at these coordinates."""
        where = ", ".join(f"{name} = {x:.6g}" for name, x in zip(self.names, at, strict=True))
        return (
            f"body {self.body!r} reached an inflection of the curve {self.bend.curve} at {where}, where its Frenet "
            'frame turns over; let it ride on frame="transport" (rotation minimising) or frame="fixed-up", which pass'
        )


def frenet_watches(mechanism: Mechanism) -> tuple[FrenetWatch, ...]:
    """All Frenet frames of a mechanism whose curves are expressions of coordinates."""
    traced: dict[Hashable, list[Bend]] = {}  # joints that are equal share their expressions
    found = []
    for body in mechanism.bodies:
        leader = mechanism.leader(body)
        joint = leader.joint
        if not joint.nq or isinstance(body.joint, SCREWS):
            continue
        key = joint_key(body.joint)
        if key not in traced:
            traced[key] = _bends(body.joint, joint)
        periods, names = periods_of(joint.coordinates), tuple(c.name for c in joint.coordinates)
        found += [FrenetWatch(body.name, names, leader.q, periods, bend) for bend in traced[key]]
    return tuple(found)


def _bends(joint: Joint, leader: Joint) -> list[Bend]:
    graph = Graph()
    q = [graph.variable("q", c.domain) for c in leader.coordinates]
    inner, at = joint.inner, joint.inner_coordinates(q)
    A, B = inner.legs(at)
    frames = [factor for factor in (*A.factors, *B.factors) if isinstance(factor, FrenetTurn)]
    return [Bend(f.curve, tuple(q), tuple(f.bend)) for f in frames if any(isinstance(x, Node) for x in f.bend)]
