"""The recursive trace form of Lagrange's equations as Guenter & Lee print it, in the world's axes [GL eq. 13].

It is the oracle of lagrangian.py, and the way in; linear in the number of bodies, with twice the operations.

Differences from the page: t_cm a^T - B U^T / 2 is written P Wdd^T with the 4x4 matrix P of second moments. It has the
same trace (the two differ by a symmetric matrix, which is orthogonal to every d(W)/dq), and no mass is divided by.
Gravity enters as the acceleration of the ground. Derivatives of A are A times the joint's twist, so any joint will do.
"""


import numpy as np

from anyjoint.spatial import BlockInertia, Matrix, ad, skew, vector, zeros
from anyjoint.tree.record import Record

from .algorithm import Parent, algorithm
from .velocity import child_frame


def transformations(body: Record, parent: Parent) -> None:
    """Outward: W = [R p; 0 1] and its first two time derivatives."""
    child_frame(body)
    A, a = body.G.R, body.G.p
    s_A, s_B = body.S_A @ body.qd, body.S_B @ body.qd
    s = body.W.motion(s_A + s_B)
    sdot = body.W.motion(body.c - ad(s_B, s_A + s_B)) + body.S @ body.qdd
    Ad, ad_ = A @ skew(s[:3]), A @ s[3:]  # dA/dt = A hat(s)
    Add = Ad @ skew(s[:3]) + A @ skew(sdot[:3])
    add = Ad @ s[3:] + A @ sdot[3:]
    R, Rd, Rdd = parent.R, parent.Rd, parent.Rdd
    body.R = R @ A  # [GL eq. 1]
    body.Rd = Rd @ A + R @ Ad
    body.Rdd = Rdd @ A + 2 * (Rd @ Ad) + R @ Add
    pdd = Rdd @ a + 2 * (Rd @ ad_) + R @ add + parent.alpha[3:]
    body.alpha = vector(0, 0, 0, *pdd)  # the linear half only: the ground's entry holds -g


def traces(body: Record, parent: Parent) -> None:
    """Inward: phi, and one trace per coordinate."""
    phi = body.plus("phi", second_moments(body.J) @ np.vstack([body.Rdd.T, body.alpha[None, 3:]]))  # [GL eq. 13]
    K, force = phi[:3] @ body.R, phi[3] @ body.R
    # tr(W_p dA/dq phi) with dA/dq = A hat(S_j): the six numbers that every hat(S_j) picks from phi W.
    f = vector(K[1, 2] - K[2, 1], K[2, 0] - K[0, 2], K[0, 1] - K[1, 0], *force)
    own = body.armature * body.qdd - body.passive
    body.generalized = body.S.T @ f + own  # [GL eq. 13], with rotors, springs and dampers
    moved = zeros(4, 3)
    moved[:3] = body.G.R @ phi[:3] + np.outer(body.G.p, phi[3])
    moved[3] = phi[3]
    parent.add("phi", moved)  # A_j+1 phi_j+1


def second_moments(J: BlockInertia) -> Matrix:
    """P = [[sum m r r^T, m c], [m c^T, m]] of a rigid inertia about its frame's origin."""
    P = zeros(4, 4)
    half = (J.A[0, 0] + J.A[1, 1] + J.A[2, 2]) * 0.5
    for i in range(3):
        for j in range(3):
            P[i, j] = half - J.A[i, i] if i == j else -J.A[i, j]
    P[:3, 3] = P[3, :3] = vector(J.B[2, 1], J.B[0, 2], J.B[1, 0])
    P[3, 3] = J.C[0, 0]
    return P


LAGRANGIAN_PRINTED = algorithm(
    "lagrangian, printed", ("outward", transformations), ("inward", traces), inputs=["q", "v", "qdd"],
    results=["generalized"], over="regrouped",
)  # fmt: skip
