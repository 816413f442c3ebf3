"""The mass matrix over any scalar, by composite rigid bodies and a walk from each joint to the root [PAK section 4]."""

from collections.abc import Sequence

from anyjoint.spatial import Matrix, dot, minus_sum, zeros
from anyjoint.tree.record import Record

from .algorithm import run_sweeps
from .composite import COMPOSITE
from .small_matrix import LDL, ldl


def mass_matrix(bodies: Sequence[Record], parents: Sequence[int], root: Record, starts: Sequence[int]) -> Matrix:
    """M = H^T A^T M A H [SG eq. 51]; entries between different branches stay exactly zero."""
    run_sweeps(COMPOSITE, bodies, parents, root)
    n = starts[-1]
    M = zeros(n, n)
    for i, body in enumerate(bodies):
        for column in range(body.F.shape[1]):
            _walk(M, bodies, parents, starts, i, column)
    return M


def _walk(
    M: Matrix, bodies: Sequence[Record], parents: Sequence[int], starts: Sequence[int], i: int, column: int
) -> None:
    """One column of composite momentum handed inward; every joint on the way reads off its entry."""
    f, j = bodies[i].F[:, column], i
    at = starts[i] + column
    while j >= 0:
        S: Matrix = bodies[j].S
        for row in range(S.shape[1] if j != i else column + 1):
            place = starts[j] + row
            M[at, place] = M[place, at] = dot(S[:, row], f)
        if j == i:
            M[at, at] = M[at, at] + bodies[i].armature[column]
        f, j = bodies[j].A.force(f), parents[j]
        if j >= 0:
            f = bodies[j].W.force(f)


def solve_from_leaves(M: Matrix, right: Matrix) -> Matrix:
    """M^-1 right by LDL^T from the last coordinate to the first, which creates no fill between branches.

    Rows of parallel axes have sums in common: these come first.
    """
    factors: LDL = ldl(M[::-1, ::-1], minus_sum)
    return factors.solve(right[::-1])[::-1]
