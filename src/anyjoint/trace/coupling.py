"""Joints that follow other joints: the tree is traced with a coordinate for each of them, then projected.

The expanded coordinates are functions of the mechanism's own: q_e = phi(q), v_e = Phi v, a_e = Phi a + phi'' v v.
By d'Alembert's principle forces come back by Phi^T, so that M = Phi^T M_e Phi: all closed loops of [GL Fig. 5d]
vanish from the equations.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from anyjoint.frozen import frozen
from anyjoint.mechanism import Mechanism
from anyjoint.mechanism.body import Body
from anyjoint.scalar import Scalar, jet
from anyjoint.spatial import Matrix, Scalars, Vector, vector, zeros


@frozen
class Expansion:
    """A mechanism in which every coupled joint has coordinates of its own."""

    mechanism: Mechanism
    bodies: list[Body]
    nq: int
    nv: int

    def coordinates(self, q: Sequence[Scalar], v: Sequence[Scalar]) -> Expanded:
        """Expanded coordinates, velocities, Phi and the acceleration that velocities cause."""
        q_e: list[Scalar] = []
        v_e: list[Scalar] = []
        second, Phi = zeros(self.nv), zeros(self.nv, len(v))
        for own, body in zip(self.mechanism.bodies, self.bodies, strict=True):
            at = body.v.start
            if own.joint.follows is None:
                q_e += q[own.q]
                v_e += v[own.v]
                for k in range(own.joint.nv):
                    Phi[at + k, own.v.start + k] = 1
                continue
            source = self.mechanism.leader(own)
            values, partials, curved = jet(own.joint.inner_coordinates, q[source.q], v[source.v])
            q_e += values
            second[body.v] = curved
            for j, column in enumerate(partials):
                Phi[body.v, source.v.start + j] = column
            v_e += list(Phi[body.v, source.v] @ vector(*v[source.v]))
        return Expanded(q_e, v_e, Phi, second, lambda: self.bend(q, v))

    def bend(self, q: Sequence[Scalar], v: Sequence[Scalar]) -> Bend:
        """Derivatives of Phi and of the acceleration that velocities cause."""
        n = len(v)
        Phi_q, second_q = zeros(self.nv, n, n), zeros(self.nv, n)
        for own, body in zip(self.mechanism.bodies, self.bodies, strict=True):
            if own.joint.follows is None:
                continue
            source, inner = self.mechanism.leader(own), own.joint.inner_coordinates
            at, speeds = q[source.q], v[source.v]
            count, rest = body.joint.nv, [0] * len(at)
            _, partials, _ = jet(lambda x: [y for row in jet(inner, x, rest)[1] for y in row], at, rest)  # noqa: B023
            _, curved, _ = jet(lambda x: jet(inner, x, speeds)[2], at, rest)  # noqa: B023
            for k, (slopes, change) in enumerate(zip(partials, curved, strict=True)):
                columns = vector(*slopes).reshape(len(at), count)
                for j in range(len(at)):
                    Phi_q[body.v, source.v.start + j, source.v.start + k] = columns[j]
                second_q[body.v, source.v.start + k] = change
        return Bend(Phi_q, second_q)

    def rate_times(self, q: Sequence[Scalar], v: Sequence[Scalar], x: Sequence[Scalar]) -> Vector:
        """Phidot*x: the acceleration that velocities cause is a quadratic form, here polarised."""
        plus, minus = ([a + s * b for a, b in zip(v, x, strict=True)] for s in (1, -1))
        difference: Vector = self.coordinates(q, plus).second - self.coordinates(q, minus).second
        return difference / 4


@frozen
class Expanded:
    """Expanded coordinates at a state."""

    q: list[Scalar]
    v: list[Scalar]
    Phi: Matrix
    second: Vector
    bend: Callable[[], Bend]


@frozen
class Bend:
    """Derivatives of Phi, d_k Phi[:, j] at [:, j, k], and of the acceleration that velocities cause, by coordinates."""

    Phi: Matrix
    second: Matrix

    def times(self, x: Scalars) -> Matrix:
        """d(Phi x)/dq, (expanded, own)."""
        parts = (self.Phi[:, j, :] * y for j, y in enumerate(x))
        return sum(parts, zeros(*self.second.shape))

    def transposed_times(self, tau: Vector) -> Matrix:
        """d(Phi^T tau)/dq where tau is held, (own, own)."""
        parts = (self.Phi[i] * y for i, y in enumerate(tau))
        return sum(parts, zeros(*self.Phi.shape[1:]))


def expand(mechanism: Mechanism) -> Expansion | None:
    """The expansion of a mechanism, or None if no joint follows another."""
    if not mechanism.followers:
        return None
    bodies: list[Body] = []
    nq = nv = 0
    for body in mechanism.bodies:
        joint = body.joint.inner
        bodies.append(replace(body, joint=joint, q=slice(nq, nq + joint.nq), v=slice(nv, nv + joint.nv)))
        nq, nv = nq + joint.nq, nv + joint.nv
    return Expansion(mechanism, bodies, nq, nv)
