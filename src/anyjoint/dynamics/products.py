"""Products with J_mr in linear time, without forming it [RM alg. 2, 3]; twists in each link's own frame."""

from collections.abc import Callable, Sequence
from typing import Any

from anyjoint.joints.product_rule import Motion
from anyjoint.scalar import Scalar
from anyjoint.spatial import Vector, ad, vector

from .algorithm import algorithm


def jacobian_rate(
    motion_at: Callable[[Sequence[Scalar]], Motion], v: Sequence[Scalar], x: Sequence[Scalar], quasi: bool
) -> Vector:
    """Sdot*x of a joint for any x, where a joint only tells c = Sdot*v; `motion_at(v)` is its motion at velocity v.

    c is a quadratic form in v, so polarising it gives the symmetric part of Sdot(v)*x. The rest follows from
    d_k S_j - d_j S_k = ad(S_j) S_k. Velocities that are no derivatives of coordinates (`quasi`) have a constant S.
    """
    vs, xs = vector(*v), vector(*x)
    even = (motion_at(list(vs + xs)).c - motion_at(list(vs - xs)).c) / 4
    if quasi:
        return even
    m = motion_at(list(v))
    odd = ad(m.S_A @ xs, m.S_A @ vs) - ad(m.S_B @ xs, m.S_B @ vs)
    return even + odd / 2


def times(body: Any, parent: Any) -> None:
    """Outward: y = J x."""
    y = body.A.motion(parent.y) + (body.S_A + body.S_B) @ body.x  # [RM alg. 2, 2 and 5]
    body.y = body.W.motion(y)


def times_rate(body: Any, parent: Any) -> None:
    """Outward: y = J x and z = Jdot x; `body.Sdot_x` is the joint's own Sdot*x, see jacobian_rate."""
    carried = body.A.motion(parent.y)
    y = carried + (body.S_A + body.S_B) @ body.x
    s_A, s_B = body.S_A @ body.qd, body.S_B @ body.qd
    # Ad-dot = -ad(s) Ad [RM eq. 49], once for each leg of the joint.
    z = body.A.motion(parent.z) - ad(s_A, carried) + body.Sdot_x - ad(s_B, y)  # [RM alg. 2, 3 and 6]
    body.y, body.z = body.W.motion(y), body.W.motion(z)


def transposed_times(body: Any, parent: Any) -> None:
    """Inward: x = J^T y."""
    y = body.W.force(body.plus("y_sum", body.y))  # [RM alg. 3, 2-5]
    body.x = (body.S_A + body.S_B).T @ y  # [RM alg. 3, 7]
    parent.add("y_sum", body.A.force(y))  # [RM alg. 3, 6]


J_TIMES = algorithm("J x", ("outward", times), results=["y"], inputs=["q", "x"])
JDOT_TIMES = algorithm("Jdot x", ("outward", times_rate), results=["z"], inputs=["q", "v", "x"])
J_TRANSPOSED_TIMES = algorithm("J^T y", ("inward", transposed_times), results=["x"], inputs=["q", "y"])
