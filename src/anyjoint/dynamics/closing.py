"""Where carried unknowns end: those of a closure are eliminated, and found again on the way out [PAK eq. 8]."""

from anyjoint.joints.product_rule import columns
from anyjoint.scalar import Scalar, known, less, select
from anyjoint.spatial import Vector, dot, plus_dot, vector, zeros
from anyjoint.tree.columns import Columns
from anyjoint.tree.record import Record

from .algorithm import Parent
from .front import falling, hand_on, pairs, received

# Rounding leaves about the last bit of what a pivot was made from. One that is no more than this times as large belongs
# to a row that others imply: its multiplier is 0.
NOISE = 256
# What a row is made from, at least, beside what it would be if it pushed with all its might.
FAINT = 1e-6
# Corrections give way by this share where a mechanism is nearly singular. There, rounding of positions, divided by how
# far it is from the singular place, would become an error of velocities.
YIELD = 1e-9


def close(body: Record, parent: Parent, give: float) -> None:
    """Eliminate the unknowns that end here: y = -D^-1 (U^T alpha + r + what is coupled to the others).

    Soft rows come here where they give way to accelerations: y = gamma + weight (U^T alpha + D y + r).
    """
    front, (J, b, U, D, r, s) = body.columns, received(body)
    full: dict[tuple[int, int], Scalar] = dict(zip(pairs(front.width), D, strict=True))
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
    s = [*scales, *s[front.closes :]]
    for k in range(0 if front.shared else front.closes):
        full[k, k] = full[k, k] - give * s[k]
    inverse, rows, rests, wrenches = zeros(front.closes), zeros(front.closes, front.width), zeros(front.closes), []
    for k in range(front.closes):
        u, rest, couplings = U[:, k], r[k], {j: full[max(j, k), min(j, k)] for j in range(k + 1, front.width)}
        pivot = full[k, k]
        inverse[k] = pivot_inverse(body, k, pivot, s[k])
        rests[k] = rest
        wrenches.append(u)
        for j, x in couplings.items():
            rows[k, j] = x
        if known(inverse[k]) == 0:
            continue
        scaled = {j: x * inverse[k] for j, x in couplings.items()}
        # A row is now what it was less so much of this one, and rounding errs by a share of what both are made from.
        share = s[k] * inverse[k]
        for j, x in couplings.items():
            if not front.shared:
                s[j] = s[j] + x * scaled[j] * share
            elif known(x) != 0:  # rows on joints that follow are made from what they can move there
                s[j] = s[j] + x * scaled[j] + share
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


def press(body: Record, parent: Parent) -> None:
    """Soft rows end here: their multipliers are known, `gamma`, and are put in where others would be eliminated."""
    front, (J, b, U, D, r, s) = body.columns, received(body)
    y, left = vector(*body.gamma), range(front.closes, front.width)
    b = b + U[:, : front.closes] @ y
    if front.at_ground:
        r, U = r + falling(body, U), zeros(*U.shape)
    full: dict[tuple[int, int], Scalar] = dict(zip(pairs(front.width), D, strict=True))
    rest = r + pressed(full, front, y)
    body.rests = y
    D = [full[i, j] for i, j in pairs(front.width) if j >= front.closes]
    hand_on(body, parent, J, b, U[:, front.closes :], D, rest[front.closes :], [s[k] for k in left])


def pressed(full: dict[tuple[int, int], Scalar], front: Columns, y: Vector) -> Vector:
    """D y of multipliers y that are known and end here, for all unknowns."""
    every, ending = range(front.width), range(front.closes)
    return vector(*(dot([full[max(j, k), min(j, k)] for k in ending], y) for j in every))


def pivot_inverse(body: Record, k: int, pivot: Scalar, scale: Scalar) -> Scalar:
    """1/pivot; of a soft row with its own compliance, -1/weight, beside it, also where the weight is 0."""
    if body.columns.soft:
        return body.weight[k] / (body.weight[k] * pivot - 1)
    return 1 / pivot if body.columns.shared else guarded_inverse(pivot, scale)


def guarded_inverse(pivot: Scalar, scale: Scalar) -> Scalar:
    """1/pivot, or 0 where nothing is left of what the pivot was made from, to single or double precision."""
    if known(pivot) == 0:
        return 0
    return select(less(scale, scale - pivot / NOISE), 1 / pivot, 0.0)


def solve(body: Record, alpha: Vector, passing: Vector, known: Vector | None) -> None:
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
