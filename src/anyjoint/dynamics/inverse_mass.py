"""Products with the inverse of the mass matrix, which is never formed: its factors are swept over [SG eq. 58].

M^-1 = (1 - S^T Y Pi)^T Omega^-1 (1 - S^T Y Pi): inward the right factor and Omega^-1, outward the left one.
These are the recursions 4-6 of forward dynamics without the motion that 1-3 bring; as in articulated_body.py only half
of every solve with Omega = L D L^T is done on the way in, and the other half on the way out.
"""


from anyjoint.joints.product_rule import columns
from anyjoint.spatial import zeros
from anyjoint.tree.record import Record

from .algorithm import Parent, algorithm
from .articulated_body import eliminate
from .small_matrix import LDL, joint_inertia, ldl


def innovate(body: Record, parent: Parent) -> None:
    """Inward: z = D^-1 L^-1 (1 - S^T Y Pi) load, which the links further out have left of it."""
    body.tau, body.a = body.load, zeros(6)
    J, b = body.W.inertia(body.plus("J", body.J)), body.W.force(body.plus("b", zeros(6)))
    S = body.S_A + body.S_B
    U = columns([J @ S[:, j] for j in range(S.shape[1])])
    eliminate(body, parent, J, b, S, U, ldl(joint_inertia(S, U, body.armature)))  # [SG eq. 58], Omega^-1 and right


def answer(body: Record, parent: Parent) -> None:
    """Outward: the joint's part of the product, (1 - S^T Y Pi)^T of what the way in has left."""
    eta = body.A.motion(parent.eta)
    body.qdd = LDL(body.L, body.z).back(body.z - body.Z.T @ eta)  # [SG eq. 58], left
    body.eta = body.W.motion(eta + (body.S_A + body.S_B) @ body.qdd)


INVERSE_MASS_TIMES = algorithm(
    "inverse mass times", ("inward", innovate), ("outward", answer), inputs=["q", "load"], results=["qdd"],
    over="regrouped", gravity=False,
)  # fmt: skip
