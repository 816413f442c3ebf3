"""Products with J_mr in linear time, without forming it [RM alg. 2, 3]; twists in each link's own frame."""

from collections.abc import Callable, Sequence

from anyjoint.joints.product_rule import Motion
from anyjoint.scalar import Scalar, jet
from anyjoint.spatial import Vector, ad, vector, zeros
from anyjoint.tree.record import Record

from .algorithm import Input, Parent, algorithm

Values = Sequence[Scalar]


def jacobian_rate(
    motion_at: Callable[[Values, Values], Motion], q: Values, v: Values, x: Values, rates: Values | None = None
) -> Vector:
    """Sdot*x of a joint for any x, where a joint only tells c = Sdot*v; `motion_at(q, v)` is its motion.

    c is a quadratic form in v, so polarising it gives the symmetric part of Sdot(v)*x. The rest follows from
    d_k S_j - d_j S_k = ad(S_j) S_k. Where velocities are no rates of coordinates, these are given as `rates`, and S is
    differentiated along them.
    """
    vs, xs = vector(*v), vector(*x)
    if rates is not None:
        _, partials, _ = jet(lambda at: list(motion_at(at, [0] * len(v)).S @ xs), q, [0] * len(q))
        return sum((vector(*column) * rate for column, rate in zip(partials, rates, strict=True)), zeros(6))
    even = (motion_at(q, list(vs + xs)).c - motion_at(q, list(vs - xs)).c) / 4
    m = motion_at(q, list(v))
    odd = ad(m.S_A @ xs, m.S_A @ vs) - ad(m.S_B @ xs, m.S_B @ vs)
    return even + odd / 2


def times(body: Record, parent: Parent) -> None:
    """Outward: y = J x."""
    y = body.A.motion(parent.y) + (body.S_A + body.S_B) @ body.x  # [RM alg. 2, 2 and 5]
    body.y = body.W.motion(y)


def times_rate(body: Record, parent: Parent) -> None:
    """Outward: y = J x and z = Jdot x; `body.Sdot_x` is the joint's own Sdot*x, see jacobian_rate."""
    carried = body.A.motion(parent.y)
    y = carried + (body.S_A + body.S_B) @ body.x
    s_A, s_B = body.S_A @ body.qd, body.S_B @ body.qd
    # Ad-dot = -ad(s) Ad [RM eq. 49], once for each leg of the joint.
    z = body.A.motion(parent.z) - ad(s_A, carried) + body.Sdot_x - ad(s_B, y)  # [RM alg. 2, 3 and 6]
    body.y, body.z = body.W.motion(y), body.W.motion(z)


def transposed_times(body: Record, parent: Parent) -> None:
    """Inward: J^T y."""
    y = body.W.force(body.plus("y_sum", body.y))  # [RM alg. 3, 2-5]
    body.generalized = (body.S_A + body.S_B).T @ y  # [RM alg. 3, 7]
    parent.add("y_sum", body.A.force(y))  # [RM alg. 3, 6]


J_TIMES = algorithm(
    "J x", ("outward", times), inputs=["q", "x"], results=["y"], over="bodies", gravity=False, masses=False
)
JDOT_TIMES = algorithm(
    "Jdot x", ("outward", times_rate), inputs=["q", "v", "x"], results=["z"],
    over="bodies", gravity=False, masses=False,
)  # fmt: skip
J_TRANSPOSED_TIMES = algorithm(
    "J^T y", ("inward", transposed_times), inputs=["q", Input("y", 6, each=True)], results=["generalized"],
    over="bodies", gravity=False, masses=False,
)  # fmt: skip
