"""Articulated-body sweeps that carry unknowns: loops, shared coordinates and soft rows in linear time [PAK eq. 5, 8].

A link hands its parent a quadratic form in the parent's acceleration alpha and in unknowns y that are not its own,

    1/2 alpha^T J alpha + alpha^T U y + 1/2 y^T D y + b^T alpha + r^T y,

the multipliers of loops that are still open and accelerations that several joints share. Each y is eliminated at its
closure (see tree/closures.py), where everything that it touches has come together: pivots of [PAK eq. 8], delayed. That
is exact, does not iterate, and is linear in the number of bodies while few loops are open at once.

M qdd + G^T y = tau - bias, G qdd = -gamma: multipliers have the sign of the Lagrangian T - V - y g.
"""

from typing import Any

import numpy as np

from anyjoint.joints.product_rule import columns
from anyjoint.scalar import known, less, select
from anyjoint.spatial import BlockInertia, Matrix, Vector, dot, dot_in_pairs, minus_dot, plus_dot, vector, zeros
from anyjoint.tree.columns import Columns

from .algorithm import algorithm
from .articulated_body import inertias as free_inertias
from .articulated_body import reduce, velocities
from .led import add_part
from .small_matrix import LDL, felt, joint_inertia, ldl
from .velocity import centripetal_acceleration

# A pivot smaller than this share of what it was made from belongs to a row that others imply: its multiplier is 0.
REDUNDANT = 1e-12
# Corrections give way by this share where a mechanism is nearly singular. There, rounding of positions, divided by how
# far it is from the singular place, would become an error of velocities.
YIELD = 1e-9


def inertias(body: Any, parent: Any, give: float = 0.0) -> None:
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


def yielding_inertias(body: Any, parent: Any) -> None:
    """Inward: the same with rows that give way a little."""
    inertias(body, parent, YIELD)


def carry(body: Any, parent: Any) -> None:
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
    r = r + half.T @ body.z + U.T @ body.a
    squares = [dot(half[:, k], E[:, k]) for k in range(front.width)]
    for k, (i, j) in enumerate(pairs(front.width)):
        D[k] = D[k] - squares[i] if i == j else minus_dot(D[k], half[:, i], E[:, j])
    s = [x + y for x, y in zip(s, squares, strict=True)]
    for k, column in enumerate(front.starts):  # what rounding leaves of a row that cannot move is far below this
        s[column] = s[column] + REDUNDANT * dot(wrench(body, k), wrench(body, k)) * Omega.inverse[0]
    hand_on(body, parent, Ja, ba, U, D, r, s)


def follow(body: Any, parent: Any) -> None:
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
    hand_on(body, parent, J, b, U, [entries[key] for key in pairs(front.width)], r, s)


def lead(body: Any, parent: Any) -> None:
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
    hand_on(body, parent, None, None, zeros(*U.shape), [entries[key] for key in pairs(front.width)], r, s)


def forces_along(body: Any, i: int, column: int, entries: dict[tuple[int, int], Any], r: Any) -> None:
    """What a joint's own forces and rotors do along an unknown that it follows."""
    for j, other in enumerate(body.columns.driven[: i + 1]):
        key = (max(column, other), min(column, other))
        entries[key] = entries[key] + dot(body.Phi[:, j], felt(body.armature, body.Phi[:, i]))
    r[column] = r[column] - dot(body.Phi[:, i], body.tau - felt(body.armature, body.second))


def on_coordinates(body: Any, k: int, column: int, entries: dict[tuple[int, int], Any], r: Any) -> None:
    """A row on the coordinates of a joint that follows unknowns."""
    r[column] = r[column] + dot(on_joint(body, k), body.second)
    for i, other in enumerate(body.columns.driven):
        key = (max(column, other), min(column, other))
        entries[key] = entries[key] + dot(on_joint(body, k), body.Phi[:, i])


def close(body: Any, parent: Any, give: float) -> None:
    """Eliminate the unknowns that end here: y = -D^-1 (U^T alpha + r + what is coupled to the others).

    Soft rows come here where they give way to accelerations: y = gamma + weight (U^T alpha + D y + r).
    """
    front, (J, b, U, D, r, s) = body.columns, received(body)
    full: dict[tuple[int, int], Any] = dict(zip(pairs(front.width), D, strict=True))
    if front.soft:  # gamma is known, and what it does to others; the rest of y is left
        b, r = b + U[:, : front.closes] @ body.gamma, r + pressed(full, front, body.gamma)
    else:
        for k, x in enumerate(body.gamma):
            r[k] = r[k] + x
    if front.at_ground:
        r, U = r + falling(body, U), zeros(*U.shape)
    # A shift that can hardly move is small beside the other shifts of its loop, not beside itself.
    alike = front.alike or range(front.closes)
    scales = [sum(s[j] for j in range(front.closes) if alike[j] == alike[k]) for k in range(front.closes)]
    for k in range(front.closes):
        full[k, k] = full[k, k] - give * scales[k]
    inverse, rows, rests, wrenches = zeros(front.closes), zeros(front.closes, front.width), zeros(front.closes), []
    for k in range(front.closes):
        u, rest, couplings = U[:, k], r[k], {j: full[max(j, k), min(j, k)] for j in range(k + 1, front.width)}
        pivot = full[k, k]
        inverse[k] = pivot_inverse(body, k, pivot, scales[k])
        rests[k] = rest
        wrenches.append(u)
        for j, x in couplings.items():
            rows[k, j] = x
        if known(inverse[k]) == 0:
            continue
        scaled = {j: x * inverse[k] for j, x in couplings.items()}
        for j, x in couplings.items():
            for i in range(k + 1, j + 1):
                full[j, i] = full[j, i] - x * scaled[i]
            r[j] = r[j] - scaled[j] * rest
            U[:, j] = U[:, j] - u * scaled[j]
        if not front.at_ground:
            v = u * inverse[k]
            J, b = J.minus_outer(u.reshape(6, 1), v.reshape(6, 1)), b - v * rest
    body.inverse, body.rows, body.rests, body.wrenches = inverse, rows, rests, columns(wrenches)
    left = range(front.closes, front.width)
    D = [full[i, j] for i, j in pairs(front.width) if j >= front.closes]
    hand_on(body, parent, J, b, U[:, front.closes :], D, r[front.closes :], [s[k] for k in left])


def press(body: Any, parent: Any) -> None:
    """Soft rows end here: their multipliers are known, `gamma`, and are put in where others would be eliminated."""
    front, (J, b, U, D, r, s) = body.columns, received(body)
    y, left = vector(*body.gamma), range(front.closes, front.width)
    b = b + U[:, : front.closes] @ y
    if front.at_ground:
        r, U = r + falling(body, U), zeros(*U.shape)
    full: dict[tuple[int, int], Any] = dict(zip(pairs(front.width), D, strict=True))
    rest = r + pressed(full, front, y)
    body.rests = y
    D = [full[i, j] for i, j in pairs(front.width) if j >= front.closes]
    hand_on(body, parent, J, b, U[:, front.closes :], D, rest[front.closes :], [s[k] for k in left])


def pressed(full: dict[tuple[int, int], Any], front: Columns, y: Vector) -> Vector:
    """D y of multipliers y that are known and end here, for all unknowns."""
    every, ending = range(front.width), range(front.closes)
    return vector(*(dot([full[max(j, k), min(j, k)] for k in ending], y) for j in every))


def pivot_inverse(body: Any, k: int, pivot: Any, scale: Any) -> Any:
    """1/pivot; of a soft row with its own compliance, -1/weight, beside it, also where the weight is 0."""
    if body.columns.soft:
        return body.weight[k] / (body.weight[k] * pivot - 1)
    return 1 / pivot if body.columns.shared else kept_inverse(pivot, scale)


def kept_inverse(pivot: Any, scale: Any) -> Any:
    """1/pivot, or 0 where nothing is left of what the pivot was made from."""
    if known(pivot) == 0:
        return 0
    return select(less(REDUNDANT * scale, -pivot), 1 / pivot, 0.0)


# -- what is handed from link to link ---------------------------------------------------------------------------------


def received(body: Any) -> tuple[BlockInertia, Vector, Matrix, list[Any], Vector, list[Any]]:
    """J, b, U, D by its lower triangle, r and s: the link's own and what its children have handed in.

    s is what the diagonal of D was made from, so that rows which others imply can be told.
    """
    front: Columns = body.columns
    U = zeros(6, front.width)
    for k, column in enumerate(front.starts):
        U[:, column] = wrench(body, k)
    parts = [body.handed(name) for name in ("U", "D", "r", "s")]
    own = [U, zeros(len(pairs(front.width))), zeros(front.width), zeros(front.width)]
    U, D, r, s = (x if y is None else x + y for x, y in zip(own, parts, strict=True))
    J, b = body.handed("J"), body.handed("b")
    J, b = body.J if J is None else body.J + J, body.b if b is None else body.b + b
    return J, b, U, list(D), r, list(s)


def working(body: Any) -> tuple[BlockInertia, Vector, Matrix, list[Any], Vector, list[Any]]:
    """The same in the joint's working frame."""
    J, b, U, D, r, s = received(body)
    r = r + U.T @ centripetal_acceleration(body)
    b = body.W.force(b + J @ centripetal_acceleration(body))
    return body.W.inertia(J), b, forces(body.W, U), D, r, s


def wrench(body: Any, k: int) -> Vector:
    """Column k of the rows that touch a link."""
    column: Vector = body.K[6 * k : 6 * k + 6]
    return column


def on_joint(body: Any, k: int) -> Vector:
    """Column k of the rows that touch a link's coordinates."""
    n = len(body.qd)
    column: Vector = body.N[n * k : n * k + n]
    return column


def hand_on(body: Any, parent: Any, J: Any, b: Any, U: Any, D: Any, r: Any, s: Any) -> None:
    """Hand the form to the parent, its columns where they land there."""
    front = body.columns
    if J is not None and not front.to_ground:
        parent.add("J", body.A.inertia(J))
        parent.add("b", body.A.force(b))
    if not front.lands:
        return
    U = forces(body.A, U)
    if front.to_ground:
        r, U = r + falling(body, U), zeros(*U.shape)
    wide, places = zeros(6, front.above), {key: k for k, key in enumerate(pairs(front.above))}
    triangle, rest, scale = zeros(len(places)), zeros(front.above), zeros(front.above)
    for k, column in enumerate(front.lands):
        wide[:, column], rest[column], scale[column] = U[:, k], r[k], s[k]
    for (i, j), x in zip(pairs(len(front.lands)), D, strict=True):
        a, c = front.lands[i], front.lands[j]
        triangle[places[max(a, c), min(a, c)]] = x
    for name, value in (("U", wide), ("D", triangle), ("r", rest), ("s", scale)):
        parent.add(name, value)


def falling(body: Any, U: Matrix) -> Vector:
    """U^T alpha of the ground, which accelerates against gravity."""
    return vector(*(dot(column, body.up) for column in U[3:].T))


def forces(pose: Any, U: Matrix) -> Matrix:
    """Columns of wrenches through a pose."""
    return columns([pose.force(U[:, k]) for k in range(U.shape[1])]) if U.shape[1] else U


def pairs(width: int) -> list[tuple[int, int]]:
    """The lower triangle by rows."""
    return [(i, j) for i in range(width) for j in range(i + 1)]


# -- outward ----------------------------------------------------------------------------------------------------------


def accelerations(body: Any, parent: Any) -> None:
    """Outward: unknowns where they end, accelerations of joints and links."""
    alpha, known = body.A.motion(parent.alpha), body.rests if body.columns.soft else None
    body.qdd, body.alpha = answers(body, parent.carried, alpha, known)


def answers(body: Any, above: Vector, alpha: Vector, known: Vector | None = None) -> tuple[Vector, Vector]:
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
        held = body.E @ passing if front.width else zeros(len(body.z))
        qdd = LDL(body.L, body.z).back(body.z - resisting - held)
        alpha = alpha + (body.S_A + body.S_B) @ qdd
    return qdd, body.W.motion(alpha) + centripetal_acceleration(body)


def solve(body: Any, alpha: Vector, passing: Vector, known: Vector | None) -> None:
    """Unknowns that end at a closure, last pivot first."""
    front: Columns = body.columns
    y = vector(*(zeros(front.closes) if known is None else known), *passing)
    for k in range(front.closes - 1, -1, -1) if known is None else ():
        right = plus_dot(body.rests[k], body.wrenches[:, k], alpha)
        right = plus_dot(right, body.rows[k, :k:-1], y[:k:-1])  # what is known last goes in last
        y[k] = -right * body.inverse[k]
    if front.soft and known is None:  # what was known of them has gone inward by itself, and comes back here
        y[: front.closes] = y[: front.closes] + body.gamma
    body.carried = y
    body.multipliers = zeros(0) if front.shared else y[: front.closes]


def rest(body: Any, parent: Any) -> None:
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
