"""Accelerations of a mechanism in which one contact slides and rubs: Coulomb's law, solved within the program.

Accelerations are affine in the friction f along both tangents, and so are the normal force n = n0 + N f and the rate of
slip w = b + A f. Friction is mu n against the direction d that slip will have after a part of the step, which is found
by Newton's method (see `simulate/contact/friction.py`, which says why, and is the oracle). Where it is not found, where
friction jams, and where hardly anything slips, accelerations are not numbers: what goes on is decided elsewhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from anyjoint.dynamics.constraint_wrench import CONSTRAINT_WRENCHES
from anyjoint.dynamics.implicit import STEP
from anyjoint.dynamics.mass_matrix import solve_from_leaves
from anyjoint.dynamics.newton_euler import INERTIAL_BIAS
from anyjoint.scalar import Scalar, absolute, less, maximum, minimum, select, sincos, sqrt
from anyjoint.spatial import Vector, as_matrix, dot, vector, zeros

from .answers.mass_matrix import traced_mass
from .divides import BY_FORCES_OVER_A_STEP
from .implicit import DT
from .quantity import TAU, A, Q, Quantity, Row, V

if TYPE_CHECKING:
    from anyjoint.mechanism import Body
    from anyjoint.trace.straight import Straight
    from anyjoint.trace.workshop import Trace, Workshop

RUBBING = 3  # numbers behind accelerations: power, and both components of friction
TURNS = 5  # of Newton's method for the direction
FOUND = 1e-12  # of the slip: how far friction may be off its direction
QUICK = 1e-3  # as in `simulate/contact/friction.py`
CREEP = 1e-9  # m/s


def sliding(body: Body) -> Quantity:
    """The quantity for one body that slides."""
    assert body.contact is not None
    mu, index = float(body.contact.friction), body.index

    def trace(workshop: Workshop, _: str) -> Trace:
        name = f"sliding {index} {mu!r}"
        answer = lambda tree: _Sliding(tree, index, mu).answer()  # noqa: E731
        return workshop.straight(name, ("q", "v", "tau", STEP.name), answer, sized=[STEP])

    rubbing = Row("rubbing", "whole", (RUBBING,), "the power of friction, and its force along both tangents")
    return Quantity(
        f"sliding {index} {mu!r}", "Accelerations under the friction of a contact that slides.",
        (Q, V, TAU, DT), (A, rubbing), trace, divides=BY_FORCES_OVER_A_STEP, by_name=False,
    )  # fmt: skip


class _Sliding:
    """One sliding contact in a tree over nodes; vectors are along the tangents of its frame on the body."""

    def __init__(self, tree: Straight, body: int, mu: float) -> None:
        self.tree, self.mu, self.h = tree, mu, tree.rows["h"][0]
        self.k = next(k for k, link in enumerate(tree.plan.links) if link.body == body)
        link = tree.plan.links[self.k]
        q, v, at = tree.rows["q"][link.q], tree.rows["v"][link.v], link.v.start + 3  # angular velocities come first
        self.s = vector(*v[3:])
        tree.run(INERTIAL_BIAS)
        forces = zip(tree.values("tau"), tree.values("generalized"), strict=True)
        M, self.size = traced_mass(tree), sqrt(dot(self.s, self.s))
        self.a = solve_from_leaves(M, vector(*(tau - g for tau, g in forces)))
        self.ways = [solve_from_leaves(M, _unit(len(M), at + k)) for k in range(2)]
        self.n = self._normal(self.a)
        self.N = vector(*(self._normal(self.a + way) - self.n for way in self.ways))
        spin = tree.joint(body).rate(q, v)[4]  # of the frame that slip is measured in, against one that does not spin
        self.b = self.a[at : at + 2] + spin * vector(-self.s[1], self.s[0])
        self.A = as_matrix([[way[at + i] for way in self.ways] for i in range(2)])

    def _normal(self, a: Vector) -> Scalar:
        """The normal force at accelerations a: the wrench that the contact passes, in its frame."""
        for link, record in zip(self.tree.plan.links, self.tree.records, strict=True):
            record.qdd = vector(*a[link.v])
        self.tree.run(CONSTRAINT_WRENCHES)
        own = self.tree.records[self.k]
        return -own.W.force(own.wrench)[5]

    def answer(self) -> list[Scalar]:
        """Accelerations, then the power and the components of friction."""
        d = self.s / maximum(self.size, CREEP)
        part = self._ahead(d)
        for _ in range(TURNS):
            off, slope = self._off(d, part)
            step = minimum(maximum(off / slope, -0.5), 0.5)
            sin, cos = sincos(step)
            d = cos * d - sin * vector(-d[1], d[0])
        missed = less(FOUND * self.size, absolute(self._off(d, part)[0]))
        jammed, still = less(self._share(d), 0.0), less(self.size, CREEP)
        bad = select(missed, 1.0, select(jammed, 1.0, select(still, 1.0, 0.0)))
        f = -self._strength(d) * d
        a = self.a + self.ways[0] * f[0] + self.ways[1] * f[1]
        return [*(x + 0.0 / (1.0 - bad) for x in a), dot(f, self.s), *f]

    def _share(self, d: Vector) -> Scalar:
        return 1 + self.mu * dot(self.N, d)

    def _strength(self, d: Vector) -> Scalar:
        """F = mu n with n = n0 - F N d."""
        return self.mu * self.n / self._share(d)

    def _ahead(self, d: Vector) -> Scalar:
        """The part of the step after which slip is looked at."""
        ease = self.A[0, 0] + self.A[1, 1]
        x = minimum(self.h * absolute(self._strength(d)) * ease / maximum(self.size, CREEP), 1e8)
        return select(less(x, QUICK), 0.0, self.h * x * x / (1 + x * x))

    def _off(self, d: Vector, part: Scalar) -> tuple[Scalar, Scalar]:
        """By how much a direction is not that of the slip to come, and how that changes as it turns."""
        turned, F = vector(-d[1], d[0]), self._strength(d)
        rise = -F * self.mu * dot(self.N, turned) / self._share(d)
        to_come = self.s + part * (self.b - self.A @ (F * d))
        change = -part * (self.A @ (rise * d + F * turned))
        off = d[0] * to_come[1] - d[1] * to_come[0]
        slope = turned[0] * to_come[1] - turned[1] * to_come[0] + d[0] * change[1] - d[1] * change[0]
        return off, slope


def _unit(n: int, k: int) -> Vector:
    out = zeros(n)
    out[k] = 1
    return out
