"""Generalized forces of wrenches on links, and of what pulls at joints."""


from anyjoint.spatial import zeros
from anyjoint.tree.record import Record

from .algorithm import Parent, algorithm


def collect(body: Record, parent: Parent) -> None:
    """Inward: what links lack goes to the joints below them [LJ pass 2]."""
    f = body.W.force(body.plus("f", -body.lack if len(body.lack) else zeros(6)))
    force = (body.S_A + body.S_B).T @ f
    body.generalized = force - body.pull if len(body.pull) else force
    parent.add("f", body.A.force(f))


PUSHED = algorithm(
    "pushed", ("inward", collect), inputs=["q", "v", "lack", "pull"], results=["generalized"], over="regrouped"
)
