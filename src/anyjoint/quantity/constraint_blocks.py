"""What formulations with multipliers assemble of constraints: right sides, and rows link by link in inner frames."""

from __future__ import annotations

from collections.abc import Sequence

from anyjoint.constraints.rows import Rows
from anyjoint.scalar import Scalar
from anyjoint.spatial import Matrix, cross, dot
from anyjoint.trace.constrained import Constrained
from anyjoint.tree.closures import GROUND


def touched(system: Constrained, k: int) -> list[tuple[int, Matrix]]:
    """The links that constraint k touches, and its rows on them; the ground stands still."""
    bodies, rows = system.mechanism.constraints[k].bodies, system.rows[k]
    links = [system.closed.plan.link_of(body) for body in bodies]
    return [(link, K) for link, K in zip(links, rows.K, strict=True) if link != GROUND]


def biases(system: Constrained) -> Sequence[Scalar]:
    """gamma of G a + gamma = 0: what rows still ask for where links are accelerated by velocities alone [GL eq. 16]."""
    made = []
    for k, rows in enumerate(system.rows):
        on_links = touched(system, k)
        for row, gamma in enumerate(rows.gamma):
            made.append(sum((dot(K[:, row], system.frames.drift(link)) for link, K in on_links), gamma))
    return made


def blocks(system: Constrained) -> Sequence[Scalar]:
    """Constraint by constraint: K of the links touched, N of the coordinates touched, gamma against twists' rates."""
    made: list[Scalar] = []
    for k, rows in enumerate(system.rows):
        on_links = touched(system, k)
        for _, K in on_links:
            made += [K[i, row] for row in range(len(rows.gamma)) for i in range(6)]
        for N in rows.N:
            made += list(N)
        made += [_against_twists(system, rows, on_links, row) for row in range(len(rows.gamma))]
    return made


def _against_twists(system: Constrained, rows: Rows, on_links: Sequence[tuple[int, Matrix]], row: int) -> Scalar:
    """A row's gamma where links' accelerations are the rates of twists: those of origins less w x u."""
    total = rows.gamma[row]
    for link, K in on_links:
        twist = system.frames.twist(link)
        total = total + dot(K[3:, row], cross(twist[:3], twist[3:]))
    return total


