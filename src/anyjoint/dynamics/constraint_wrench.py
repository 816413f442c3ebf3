"""Joint constraint wrenches: the whole wrench f_i that a joint passes to its body, in the body's own frame."""


from anyjoint.tree.record import Record

from .algorithm import Parent, algorithm
from .newton_euler import accelerate


def hand_in(body: Record, parent: Parent) -> None:
    """Inward: Newton-Euler's second pass with the whole wrench kept [LJ pass 2; SG eq. 14; PAK eq. 13]."""
    body.wrench = body.plus("f", body.b)
    parent.add("f", (body.A @ body.W).force(body.wrench))


CONSTRAINT_WRENCHES = algorithm(
    "constraint-wrenches", ("outward", accelerate), ("inward", hand_in), inputs=["q", "v", "qdd"], results=["wrench"],
    over="bodies",
)
