"""Recursive hybrid dynamics [RM alg. 6]: some joints are given their accelerations and answer with forces.

`body.prescribed` is a plain bool, set before the first sweep. Prescribed joints read `qdd_in`, the others `tau`; all
of them give both `qdd` and `tau_out`.
"""

from typing import Any

from . import articulated_body
from .body import algorithm


def inertias(body: Any, parent: Any) -> None:
    """Inward: a prescribed joint is stiff, so its whole inertia is handed on."""
    if not body.prescribed:
        articulated_body.inertias(body, parent)  # [RM alg. 6, 13-15]
        return
    body.J_hat = body.W.inertia(body.plus("J", body.J))  # [RM alg. 6, 7]
    body.b_hat = body.W.force(body.plus("b", body.b))  # [RM alg. 6, 8]
    S = body.S_A + body.S_B
    beta = body.b_hat + body.J_hat @ (body.a + S @ body.qdd_in)  # [RM alg. 6, 11]
    parent.add("J", body.A.inertia(body.J_hat))  # [RM alg. 6, 10]
    parent.add("b", body.A.force(beta))


def accelerations(body: Any, parent: Any) -> None:
    """Outward: accelerations of the free joints, forces of the prescribed ones."""
    if not body.prescribed:
        articulated_body.accelerations(body, parent)  # [RM alg. 6, 24-25]
        body.tau_out = body.tau + 0
        return
    S = body.S_A + body.S_B
    alpha = body.A.motion(parent.alpha) + S @ body.qdd_in + body.a  # [RM alg. 6, 20]
    body.tau_out = S.T @ (body.J_hat @ alpha + body.b_hat)  # [RM alg. 6, 21-22]
    body.qdd = body.qdd_in + 0
    body.alpha = body.W.motion(alpha)


HYBRID = algorithm(
    "hybrid",
    ("outward", articulated_body.velocities),
    ("inward", inertias),
    ("outward", accelerations),
    results=["qdd", "tau_out"],
    inputs=["q", "v", "tau", "qdd_in"],
)
