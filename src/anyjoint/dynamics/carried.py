"""Articulated-body sweeps that carry unknowns: loops, shared coordinates and soft rows in linear time [PAK eq. 5, 8].

A link hands its parent a quadratic form in the parent's acceleration alpha and in unknowns y that are not its own,

    1/2 alpha^T J alpha + alpha^T U y + 1/2 y^T D y + b^T alpha + r^T y,

the multipliers of loops that are still open and accelerations that several joints share. Each y is eliminated at its
closure (see tree/closures.py), where everything that it touches has come together: pivots of [PAK eq. 8], delayed. That
is exact, does not iterate, and is linear in the number of bodies while few loops are open at once.

M qdd + G^T y = tau - bias, G qdd = -gamma: multipliers have the sign of the Lagrangian T - V - y g.
"""

import numpy as np

from anyjoint.joints.product_rule import columns
from anyjoint.scalar import Scalar
from anyjoint.spatial import Vector, dot, dot_in_pairs, minus_dot, plus_dot, vector, zeros
from anyjoint.tree.columns import Columns
from anyjoint.tree.record import Record

from .algorithm import Parent, algorithm
from .articulated_body import inertias as free_inertias
from .articulated_body import reduce, velocities
from .closing import FAINT, YIELD, close, press, solve
from .front import hand_on, on_joint, pairs, received, working, wrench
from .led import add_part
from .small_matrix import LDL, felt, joint_inertia, ldl
from .velocity import centripetal_acceleration


def inertias(body: Record, parent: Parent, give: float = 0.0) -> None:
    """Inward: articulated inertia, bias wrench, and the columns of the unknowns that pass."""
    if not body.columns.width:
        free_inertias(body, parent)
    elif body.columns.soft:
        press(body, parent)
    elif body.columns.closes:
        close(body, parent, give)
    elif body.columns.led:
        lead(body, parent)
    elif body.columns.driven:
        follow(body, parent)
    else:
        carry(body, parent)


def yielding_inertias(body: Record, parent: Parent) -> None:
    """Inward: the same with rows that give way a little."""
    inertias(body, parent, YIELD)


def carry(body: Record, parent: Parent) -> None:
    """Eliminate a joint that unknowns pass: H = S^T U + N^T."""
    front = body.columns
    J, b, U, D, r, s = working(body)
    S = body.S_A + body.S_B
    JS = columns([J @ S[:, j] for j in range(S.shape[1])])
    Omega = ldl(joint_inertia(S, JS, body.armature))  # [SG eq. 28]
    Ja, ba, Y, free = reduce(body, J, b, S, JS, Omega)
    H = S.T @ U
    for k, column in enumerate(front.joints):
        H[:, column] = H[:, column] + on_joint(body, k)
    half = np.stack([Omega.half(H[:, k]) for k in range(front.width)], axis=1)  # L^-1 H
    E = half * Omega.inverse[:, None]
    body.E = E
    U = U - Y @ E
    for row in free:
        for k in set(range(front.width)) - set(front.joints):
            U[row, k] = 0  # S^T U' = 0, exactly
    r = vector(*(plus_dot(plus_dot(r[k], half[:, k], body.z), U[:, k], body.a) for k in range(front.width)))
    squares = [dot(half[:, k], E[:, k]) for k in range(front.width)]
    for k, (i, j) in enumerate(pairs(front.width)):
        D[k] = D[k] - squares[i] if i == j else minus_dot(D[k], half[:, i], E[:, j])
    s = [x + y for x, y in zip(s, squares, strict=True)]
    for k, column in enumerate(front.starts):  # what rounding leaves of a row that cannot move is far below this
        s[column] = s[column] + FAINT * dot(wrench(body, k), wrench(body, k)) * Omega.inverse[0]
    hand_on(body, parent, Ja, ba, U, D, r, s)


def follow(body: Record, parent: Parent) -> None:
    """A joint whose accelerations are Phi y + second: nothing is eliminated."""
    front = body.columns
    J, b, U, D, r, s = working(body)
    S = body.S_A + body.S_B
    lead = S @ body.Phi  # alpha = A alpha_parent + a + S second + lead y
    rest = body.a + S @ body.second
    b = b + J @ rest
    r = r + U.T @ rest
    JL = columns([J @ lead[:, j] for j in range(lead.shape[1])])
    entries = dict(zip(pairs(front.width), D, strict=True))
    for i, column in enumerate(front.driven):
        for k in range(front.width):
            cross = dot(lead[:, i], U[:, k])
            key = (max(column, k), min(column, k))
            entries[key] = entries[key] + (2 * cross if k == column else cross)
        for j, other in enumerate(front.driven[: i + 1]):
            key = (max(column, other), min(column, other))
            entries[key] = entries[key] + dot(lead[:, j], JL[:, i])
        r[column] = r[column] + dot(lead[:, i], b)
        forces_along(body, i, column, entries, r)
    for k, column in enumerate(front.joints):
        on_coordinates(body, k, column, entries, r)
    for i, column in enumerate(front.driven):
        U[:, column] = U[:, column] + JL[:, i]
    body.lead, body.rest = lead, rest
    expect_noise(body, s)
    hand_on(body, parent, J, b, U, [entries[key] for key in pairs(front.width)], r, s)


def lead(body: Record, parent: Parent) -> None:
    """A link whose acceleration is lead @ y + fall, known all the way from the ground: it hands on D and r alone."""
    front = body.columns
    handed = body.handed("J"), body.handed("b")
    _, _, U, D, r, s = received(body)
    entries = dict(zip(pairs(front.width), D, strict=True))
    add_part(body, entries, r, U, *handed)
    for i, column in enumerate(front.driven):
        forces_along(body, i, column, entries, r)
    for k, column in enumerate(front.joints):
        on_coordinates(body, k, column, entries, r)
    expect_noise(body, s)
    hand_on(body, parent, None, None, zeros(*U.shape), [entries[key] for key in pairs(front.width)], r, s)


def forces_along(body: Record, i: int, column: int, entries: dict[tuple[int, int], Scalar], r: Vector) -> None:
    """What a joint's own forces and rotors do along an unknown that it follows."""
    for j, other in enumerate(body.columns.driven[: i + 1]):
        key = (max(column, other), min(column, other))
        entries[key] = entries[key] + dot(body.Phi[:, j], felt(body.armature, body.Phi[:, i]))
    r[column] = r[column] - dot(body.Phi[:, i], body.tau - felt(body.armature, body.second))


def on_coordinates(body: Record, k: int, column: int, entries: dict[tuple[int, int], Scalar], r: Vector) -> None:
    """A row on the coordinates of a joint that follows unknowns."""
    r[column] = r[column] + dot(on_joint(body, k), body.second)
    for i, other in enumerate(body.columns.driven):
        key = (max(column, other), min(column, other))
        entries[key] = entries[key] + dot(on_joint(body, k), body.Phi[:, i])


def expect_noise(body: Record, s: list[Scalar]) -> None:
    """As in `carry`, for rows that touch a joint that follows; the inertia that they move is known where it ends."""
    for k in range(len(body.columns.starts)):
        size = FAINT * dot(wrench(body, k), wrench(body, k))
        for i, other in enumerate(body.columns.driven):
            s[other] = s[other] + size * dot(body.lead[:, i], body.lead[:, i])


# -- outward ----------------------------------------------------------------------------------------------------------


def accelerations(body: Record, parent: Parent) -> None:
    """Outward: unknowns where they end, accelerations of joints and links."""
    alpha, known = body.A.motion(parent.alpha), body.rests if body.columns.soft else None
    body.qdd, body.alpha = answers(body, parent.carried, alpha, known)


def answers(body: Record, above: Vector, alpha: Vector, known: Vector | None = None) -> tuple[Vector, Vector]:
    """Accelerations of a joint and its link where the parent's is alpha, and multipliers, of which some are known."""
    front: Columns = body.columns
    passing = vector(*(above[k] for k in front.lands))  # unknowns that were eliminated above
    body.multipliers = zeros(0)
    if front.closes:
        solve(body, alpha, passing, known)
        return zeros(0), alpha
    body.carried = passing
    if front.led:
        y = vector(*(passing[k] for k in front.driven))
        moved = body.lead @ y + body.fall
        return body.Phi @ y + body.second, np.concatenate([body.R_world.T @ moved[:3], body.R_world.T @ moved[3:]])
    alpha = alpha + (body.rest if front.driven else body.a)
    if front.driven:
        y = vector(*(passing[k] for k in front.driven))
        qdd, alpha = body.Phi @ y + body.second, alpha + body.lead @ y
    else:
        resisting = vector(*(dot_in_pairs(column, alpha) for column in body.Z.T))
        rows = body.E if front.width else zeros(len(body.z), 0)
        held = vector(*(minus_dot(z, row, passing) for z, row in zip(body.z, rows, strict=True)))
        qdd = LDL(body.L, body.z).back(held - resisting)
        alpha = alpha + (body.S_A + body.S_B) @ qdd
    return qdd, body.W.motion(alpha) + centripetal_acceleration(body)


def rest(body: Record, parent: Parent) -> None:
    """Outward: nothing moves and nothing pushes."""
    n = len(body.qd)
    body.a, body.b, body.g, body.tau = zeros(6), zeros(6), zeros(3), zeros(n)
    body.Phi, body.second = zeros(n, 0), zeros(n)


INPUTS = ("q", "v", "tau", "K", "N", "gamma")
CARRIED = algorithm(
    "carried unknowns",
    ("outward", velocities),
    ("inward", inertias),
    ("outward", accelerations),
    inputs=INPUTS,
    results=["qdd", "multipliers"],
    over="regrouped",
)
CARRIED_AT_REST = algorithm(
    "corrections by carried unknowns",
    ("outward", rest),
    ("inward", yielding_inertias),
    ("outward", accelerations),
    inputs=["q", "K", "N", "gamma"],
    results=["qdd", "multipliers"],
    over="regrouped",
    gravity=False,
)
