"""The weight of all links in a uniform field: generalized forces of gravity that is an input, not a parameter."""


import numpy as np

from anyjoint.spatial import cross, vector
from anyjoint.tree.record import Record

from .algorithm import Input, Parent, algorithm
from .kinematics import place
from .newton_euler import collect


def weigh(body: Record, parent: Parent) -> None:
    """Outward: the wrench of the field on a link, in its own frame."""
    place(body, parent)
    g = body.R.T @ body.g
    h = vector(body.J.B[2, 1], body.J.B[0, 2], body.J.B[1, 0])
    body.b = np.concatenate([cross(h, g), body.J.C[0, 0] * g])


WEIGHT = algorithm(
    "weight",
    ("outward", weigh),
    ("inward", collect),
    inputs=["q", Input("g", 3)],
    results=["generalized"],
    gravity=False,
)
