"""Articulated-body method: three sweeps, linear time [PAK section 5; RM alg. 6 with no prescribed joint].

The joint matrix Omega = S^T J S is factored as L D L^T and only half solved where that is enough:
J - J S Omega^-1 S^T J = J - Y D^-1 Y^T with Y = J S L^-T. The same method without any saving is in textbook.py.
"""

from anyjoint.joints.product_rule import columns
from anyjoint.scalar import known
from anyjoint.spatial import BlockInertia, Matrix, Vector, dot_in_pairs, vector, zeros
from anyjoint.tree.record import Record

from .algorithm import Parent, algorithm
from .small_matrix import LDL, joint_inertia, ldl
from .velocity import centripetal_acceleration, gyroscopic_couple, spin


def velocities(body: Record, parent: Parent) -> None:
    """Outward: angular velocities, velocity products, gyroscopic wrenches."""
    spin(body, parent)
    body.b = gyroscopic_couple(body)


def inertias(body: Record, parent: Parent) -> None:
    """Inward: articulated inertia and bias wrench, in the joint's working frame."""
    articulate(body, parent)


def articulate(body: Record, parent: Parent) -> tuple[Matrix, LDL]:
    """The same; answers with S and the factors of the joint's matrix."""
    J = body.plus("J", body.J)
    b = body.W.force(body.plus("b", body.b) + J @ centripetal_acceleration(body))
    J = body.W.inertia(J)
    S = body.S_A + body.S_B
    U = columns([J @ S[:, j] for j in range(S.shape[1])])
    Omega = ldl(joint_inertia(S, U, body.armature))
    eliminate(body, parent, J, b, S, U, Omega)  # [SG eq. 28]
    return S, Omega


def eliminate(body: Record, parent: Parent, J: BlockInertia, b: Vector, S: Matrix, U: Matrix, Omega: LDL) -> None:
    """Eliminate the joint's accelerations and hand the rest to the parent."""
    Ja, ba, _, _ = reduce(body, J, b, S, U, Omega)
    parent.add("J", body.A.inertia(Ja))
    parent.add("b", body.A.force(ba))


def reduce(
    body: Record, J: BlockInertia, b: Vector, S: Matrix, U: Matrix, Omega: LDL
) -> tuple[BlockInertia, Vector, Matrix, dict[int, int]]:
    """What is left of J and b where the joint yields, Y = U L^-T, and the rows in which S has unit columns."""
    Y = half_columns(U, Omega)
    free = unit_columns(S) if is_free(body) else {}
    Z = Y * Omega.inverse
    for row, j in free.items():
        Z[row] = Omega.L[j]  # S^T Z = L, exactly
    body.L, body.Z = Omega.L, Z
    body.z = Omega.half(body.tau - S.T @ b) * Omega.inverse
    Ja = J.minus_outer(Y, body.Z, free)  # [SG eq. 27]
    ba = b + Ja @ body.a + Y @ body.z
    for row, j in free.items():
        ba[row] = body.tau[j]  # Ja S = 0 and S^T ba = tau, exactly
    return Ja, ba, Y, free


def is_free(body: Record) -> bool:
    """Whether the joint hands on no inertia along its own velocities, as it does where it has armature."""
    return all(known(x) == 0.0 for x in body.armature.flat)


def unit_columns(S: Matrix) -> dict[int, int]:
    """{row: column} of the columns of S that are unit vectors, as for a hinge about z."""
    found = {}
    for j in range(S.shape[1]):
        column = [known(x) for x in S[:, j]]
        if column.count(0.0) == 5 and column.count(1.0) == 1:
            found[column.index(1.0)] = j
    return found


def half_columns(U: Matrix, Omega: LDL) -> Matrix:
    """Y = U L^-T, row by row."""
    Y = U.copy()
    for row in range(len(U)):
        Y[row] = Omega.half(U[row])
    return Y


def accelerations(body: Record, parent: Parent) -> None:
    """Outward: joint and body accelerations."""
    alpha = body.A.motion(parent.alpha) + body.a
    # Each body waits for its parent's acceleration: sum in pairs, so that it waits less long.
    resisting = vector(*(dot_in_pairs(column, alpha) for column in body.Z.T))
    body.qdd = LDL(body.L, body.z).back(body.z - resisting)
    alpha = alpha + (body.S_A + body.S_B) @ body.qdd
    body.alpha = body.W.motion(alpha) + centripetal_acceleration(body)


def inertias_that_stay(body: Record, parent: Parent) -> None:
    """Inward: as `inertias`; the factors are kept for later."""
    body.S, Omega = articulate(body, parent)
    body.D = Omega.inverse


def load_inward(body: Record, parent: Parent) -> None:
    """Inward: what the links further out leave of a load that was not known before [SG eq. 58]."""
    b = body.W.force(body.plus("pull", zeros(6)))
    half = LDL(body.L, body.D).half(body.load - body.S.T @ b)
    body.left = half * body.D
    parent.add("pull", body.A.force(b + body.Z @ half))


def answer(body: Record, parent: Parent) -> None:
    """Outward: M^-1 times the load."""
    eta = body.A.motion(parent.eta)
    body.mu = LDL(body.L, body.D).back(body.left - body.Z.T @ eta)
    body.eta = body.W.motion(eta + body.S @ body.mu)


def inertias_and_load(body: Record, parent: Parent) -> None:
    """Inward: beside it, what the links further out leave of a load that is solved for, too."""
    inertias_that_stay(body, parent)
    load_inward(body, parent)


def accelerations_and_answer(body: Record, parent: Parent) -> None:
    """Outward: beside accelerations, M^-1 times the load."""
    accelerations(body, parent)
    answer(body, parent)


def stand(body: Record, parent: Parent) -> None:
    """Outward: nothing moves, and what is applied to joints is all there is."""
    velocities(body, parent)
    body.tau = body.x


ARTICULATED_BODY = algorithm(
    "articulated-body",
    ("outward", velocities),
    ("inward", inertias),
    ("outward", accelerations),
    inputs=["q", "v", "tau"],
    results=["qdd"],
    over="regrouped",
)
# Accelerations, and M^-1 times a load by the same factors.
ARTICULATED_BODY_AND_LOAD = algorithm(
    "articulated-body and load",
    ("outward", velocities),
    ("inward", inertias_and_load),
    ("outward", accelerations_and_answer),
    inputs=["q", "v", "tau", "load"],
    results=["qdd", "mu"],
    over="regrouped",
)
# The same for a load that is made of the accelerations.
ARTICULATED_BODY_THEN_LOAD = algorithm(
    "articulated-body, then load",
    ("outward", velocities),
    ("inward", inertias_that_stay),
    ("outward", accelerations),
    ("inward", load_inward),
    ("outward", answer),
    inputs=["q", "v", "tau", "load"],
    results=["qdd", "mu"],
    over="regrouped",
)
# M^-1 times a vector: no velocity, no gravity, no springs.
MASS_SOLVE = algorithm(
    "solve with the mass matrix",
    ("outward", stand),
    ("inward", inertias),
    ("outward", accelerations),
    inputs=["q", "x"],
    results=["qdd"],
    over="regrouped",
    gravity=False,
)
