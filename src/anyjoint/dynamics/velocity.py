"""The first outward sweep that all formulations share: twists, velocity-product accelerations, gyroscopic wrenches."""

from typing import Any

from anyjoint.joints.product_rule import columns
from anyjoint.spatial import ad, ad_dual


def move(body: Any, parent: Any) -> None:
    """Twist and velocity-product acceleration of one body.

    V is the child's twist in the joint's working frame; with a second leg B, the working frame also moves on the
    child, which adds the bracket with s_B. With one leg, s_B = 0 and this is [SG eq. 18-20].
    """
    x = body.A.motion(parent.v)  # [SG eq. 18]
    s_A, s_B = body.S_A @ body.qd, body.S_B @ body.qd
    V = x + s_A + s_B  # [SG eq. 20]
    body.a = body.c + ad(x, s_A) + ad(V, s_B)  # [SG eq. 19], -ad_s x = ad_x s
    body.v = body.W.motion(V)


def gyroscopic_wrench(body: Any) -> Any:
    """b = -ad*_v J v, less the external wrench if there is one [SG eq. 21]."""
    b = -ad_dual(body.v, body.J @ body.v)
    return b - body.f_ext if hasattr(body, "f_ext") else b


def child_frame(body: Any) -> None:
    """The joint as the papers write it: G = A B^-1, S and a in the child's own frame [SG eq. 9]."""
    body.G = body.A @ body.W
    S = body.S_A + body.S_B
    body.S = columns([body.W.motion(S[:, j]) for j in range(S.shape[1])])
