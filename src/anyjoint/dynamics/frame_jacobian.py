"""One frame of one body: where it is and how it moves, on the way from it to the ground."""

from collections.abc import Sequence

import numpy as np

from anyjoint.spatial import Matrix, Vector, as_matrix, cross, zeros
from anyjoint.tree.record import Record


def frame_jacobian(
    records: Sequence[Record], parents: Sequence[int], body: int, R: Matrix, p: Vector
) -> tuple[Matrix, Matrix]:
    """World pose of a frame (R, p) on link `body`, (4, 4), and its twist per velocity of every link, (n, 6).

    A joint turns and moves the frame by its own twists, seen from there: Ad(X^-1) S, with X = (R, p) the frame in the
    joint's working frame [SG eq. 2; RM eq. 6].
    """
    rows: list[Matrix] = [zeros(record.S_A.shape[1], 6) for record in records]
    while body >= 0:
        link = records[body]
        R, p = link.W.before(R, p)
        for k, s in enumerate((link.S_A + link.S_B).T):
            rows[body][k] = np.concatenate([R.T @ s[:3], R.T @ (s[3:] + cross(s[:3], p))])
        R, p = link.A.before(R, p)
        body = parents[body]
    T = zeros(4, 4)
    T[:3, :3], T[:3, 3], T[3, 3] = R, p, 1
    return as_matrix(T), np.vstack(rows)
