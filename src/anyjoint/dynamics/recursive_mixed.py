"""Si & Guenter's Method II: recursions 1-3 know every joint, recursions 4-6 only numbers [SG section 4].

What the second half reads is handed over as full matrices, so that it is the same for all joints with as many
velocities, whatever they are, and knows of no entry that it is zero.
"""


from anyjoint.spatial import zeros
from anyjoint.tree.record import Record

from .algorithm import Parent, algorithm
from .recursive import recursion_1, recursion_2, recursion_3


def finish(k: Record, parent: Parent) -> None:
    """Inward: recursion 3, and what the numeric half starts from."""
    recursion_3(k, parent)
    k.R, k.p = k.G.R, k.G.p
    k.J_bar, k.z = k.J, zeros(6)  # what recursions 4 and 5 sum up
    k.own = k.armature + zeros(len(k.armature))


RECURSIVE_MIXED = algorithm(
    "recursive-mixed",
    ("outward", recursion_1),
    ("outward", recursion_2),
    ("inward", finish),
    results=["R", "p", "S", "tau_bar", "own", "J_bar", "z"],
    inputs=["q", "v", "tau"],
)
