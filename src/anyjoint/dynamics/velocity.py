"""The first outward sweep of every formulation: velocities, velocity-product accelerations, gyroscopic wrenches.

`move` and `gyroscopic_wrench` are the papers' equations, with twists. `spin` and `gyroscopic_couple` give the same
motion with ordinary accelerations of the frames' origins instead of derivatives of twists: A = vdot + (0, w x u). Then
linear velocities drop out altogether, because physics does not feel them, and with them a fifth of the operations.
"""

import numpy as np

from anyjoint.joints.product_rule import columns
from anyjoint.spatial import Vector, ad, ad_dual, cross, vector, zeros
from anyjoint.tree.record import Record

from .algorithm import Parent


def move(body: Record, parent: Parent) -> None:
    """Twist and velocity-product acceleration of one body.

    V is the child's twist in the joint's working frame; with a second leg B, the working frame also moves on the
    child, which adds the bracket with s_B. With one leg, s_B = 0 and this is [SG eq. 8, 18-20; RM eq. 15-17].
    """
    x = body.A.motion(parent.v)  # [SG eq. 18]
    s_A, s_B = body.S_A @ body.qd, body.S_B @ body.qd
    V = x + s_A + s_B  # [SG eq. 20]
    body.a = body.c + ad(x, s_A) + ad(V, s_B)  # [SG eq. 19, 56], -ad_s x = ad_x s
    body.v = body.W.motion(V)


def gyroscopic_wrench(body: Record) -> Vector:
    """b = -ad*_v J v [SG eq. 21, 57]."""
    return -ad_dual(body.v, body.J @ body.v)


def child_frame(body: Record) -> None:
    """The joint as the papers write it: G = A B^-1, S and a in the child's own frame [SG eq. 9]."""
    body.G = body.A @ body.W
    S = body.S_A + body.S_B
    body.S = columns([body.W.motion(S[:, j]) for j in range(S.shape[1])])


def spin(body: Record, parent: Parent) -> None:
    """Angular velocity, and the acceleration that velocities cause in the joint's working frame.

    Written out, the linear velocities in move's brackets cancel against those of w x u.
    """
    x, g = body.A.spin(parent.w)
    s_A, s_B = body.S_A @ body.qd, body.S_B @ body.qd
    y = x + s_A[:3]
    V = y + s_B[:3]
    angular = body.c[:3] + cross(x, s_A[:3]) + cross(V, s_B[:3])
    linear = body.c[3:] + g + cross(x + y, s_A[3:]) + cross(y + V, s_B[3:])
    body.a = np.concatenate([angular, linear])
    body.w, body.g = body.W.spin(V)


def gyroscopic_couple(body: Record) -> Vector:
    """Wrench that angular velocity alone asks for: (w x I w, w x (w x h))."""
    w, h = body.w, vector(body.J.B[2, 1], body.J.B[0, 2], body.J.B[1, 0])
    return np.concatenate([cross(w, body.J.A @ w), cross(w, cross(w, h))])


def centripetal_acceleration(body: Record) -> Vector:
    """Acceleration of the body's origin against the working frame's, as a six-vector."""
    out = zeros(6)
    out[3:] = body.g
    return out
