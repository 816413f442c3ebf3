"""Accelerations that feel forces as they will be at the end of a step: linearly implicit, in linear time.

Over a step of length h, forces f(q, v) with the slopes K = -df/dq and D = -df/dv are, to first order,
f - h K v - (h D + h^2 K) x, where x are the accelerations:

    (M + h D + h^2 K) x = f - h K v - bias.

Fully implicit methods ask again and again what is missing at accelerations a that they have found so far,
(M + h D + h^2 K) x = f - bias - M a, and correct them by x.

What a joint alone feels goes into its pivot Omega, what a link feels against the ground into its inertia, and what acts
between links is carried as a soft row: one solve, where RedMax iterates. The first sweep is Newton and Euler's: it
finds what is unbalanced where nothing accelerates; the others answer to that, and know neither velocities nor gravity.
"""

from collections.abc import Sequence

from anyjoint.scalar import Scalar
from anyjoint.spatial import BlockInertia, zeros
from anyjoint.tree.columns import FEEDS
from anyjoint.tree.record import Record

from . import carried
from .algorithm import Algorithm, Input, Parent, SweepFunction, algorithm
from .closing import close
from .newton_euler import accelerate
from .small_matrix import felt, together

STEP = Input("h", 1)  # its length


def unbalanced(body: Record, parent: Parent) -> None:
    """Outward: the wrench that a link lacks, and how its joint resists."""
    body.qdd = body.qdd_rest
    accelerate(body, parent)
    soften(body, body.h[0])


def missing(body: Record, parent: Parent) -> None:
    """Outward: the same at given accelerations, which are to be corrected: forces are those of the state."""
    accelerate(body, parent)
    soften(body, 0)


def soften(body: Record, ahead: Scalar) -> None:
    """Take springs, dampers and forces as they will be, and come to rest.

    Springs stretch for the time `ahead` at the present velocities, and then as accelerations will have them.
    """
    stretch(body, ahead)
    bear(body)
    come_to_rest(body)


def stretch(body: Record, ahead: Scalar) -> None:
    """Take a joint's own springs and dampers as they will be."""
    h = body.h[0]
    body.tau = body.tau - felt(body.armature, body.qdd) - ahead * felt(body.stiffness, body.qd)
    body.armature = together(body.armature, h * together(body.damping, h * body.stiffness))


def bear(body: Record) -> None:
    """Take what forces do to a link and its joint, and how they give way."""
    n = len(body.qd)
    if len(body.lack):
        body.b = body.b + body.lack
    if len(body.give):
        body.J = body.J + BlockInertia.from_entries(list(body.give))
    if len(body.pull):
        body.tau = body.tau - body.pull
    if len(body.grip):
        body.armature = together(body.armature, body.grip[0:1] if n == 1 else body.grip.reshape(n, n))


def come_to_rest(body: Record) -> None:
    """From here on, nothing moves and nothing falls."""
    body.a, body.g, body.up = zeros(6), zeros(3), zeros(3)


def inertias(body: Record, parent: Parent) -> None:
    """Inward: articulated inertias and what is unbalanced; soft rows give way."""
    if body.columns.soft:
        close(body, parent, 0.0)
    else:
        carried.inertias(body, parent)


def answers(body: Record, parent: Parent) -> None:
    """Outward: how joints and links answer, from the ground, which stands still."""
    body.answer, body.eta = carried.answers(body, parent.carried, body.A.motion(parent.eta))


def by_sweeps(name: str, first: SweepFunction, inputs: Sequence[str | Input], results: Sequence[str]) -> Algorithm:
    """An implicit solve whose first sweep is given."""
    return algorithm(
        name,
        ("outward", first),
        ("inward", inertias),
        ("outward", answers),
        inputs=inputs,
        results=results,
        over="regrouped",
    )


ROWS = ("q", "v", "tau", STEP)
IMPLICIT = by_sweeps("implicit", unbalanced, ROWS, ["answer"])
CARRIED_IMPLICIT = by_sweeps(
    "implicit with carried unknowns", unbalanced, [*ROWS, *FEEDS], ["answer", "multipliers"]
)
# What corrects accelerations that do not balance forces yet: a step of Newton's method, without slopes of inertia.
NEWTON = by_sweeps("correction", missing, [*ROWS, "qdd"], ["answer"])
CARRIED_NEWTON = by_sweeps(
    "correction with carried unknowns", missing, [*ROWS, "qdd", *FEEDS], ["answer", "multipliers"]
)
