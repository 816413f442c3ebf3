"""The Jacobian G of all constraint rows: their wrenches K, handed inward and projected on the joints that they pass."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from anyjoint.spatial import zeros
from anyjoint.tree.closures import ClosedPlan
from anyjoint.tree.record import Record

from .algorithm import Parent, algorithm
from .front import forces, on_joint, wrench


def project(body: Record, parent: Parent) -> None:
    """Inward: H = S^T U + N^T, the entries of G on the joint's velocities."""
    front = body.columns
    U = zeros(6, front.width)
    for k, column in enumerate(front.starts):
        U[:, column] = wrench(body, k)
    U = forces(body.W, U if body.handed("U") is None else U + body.handed("U"))
    H = (body.S_A + body.S_B).T @ U
    for k, column in enumerate(front.joints):
        H[:, column] = H[:, column] + on_joint(body, k)
    body.H = body.Phi.T @ H if front.driven else H  # on the velocities that lead
    if front.lands:
        wide, moved = zeros(6, front.above), forces(body.A, U[:, front.closes :])
        for k, column in enumerate(front.lands):
            wide[:, column] = moved[:, k]
        parent.add("U", wide)


PROJECT = algorithm("constraint jacobian", ("inward", project), inputs=["q", "K", "N"], results=["H"])


def places(
    closed: ClosedPlan, counts: Sequence[int], velocities: Sequence[Sequence[int]]
) -> Iterator[tuple[int, int, int]]:
    """(number, row of G, velocity) of the entries of H that are on constraints, link by link.

    Constraints have `counts` rows; `velocities` are those that a link's H stands for.
    """
    first, number = [sum(counts[:k]) for k in range(len(counts))], 0
    for own, columns in zip(velocities, closed.fronts, strict=True):
        for velocity in own:
            for block, row in columns:
                if block < len(counts):
                    yield number, first[block] + row, velocity
                number += 1
