"""An implicit solve under contacts: what they push with and how they give way changes while the rest stays.

The first sweep is done once in a step. The others are done again and again, in each of Newton's iterations, with other
wrenches, inertias and rows of contacts: so the matrix of a step that is M~ + K^T G K is never formed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from anyjoint.joints.product_rule import columns
from anyjoint.spatial import vector, zeros
from anyjoint.tree.columns import FEEDS

from . import implicit
from .algorithm import Parent, algorithm
from .front import received
from .newton_euler import accelerate
from .small_matrix import felt, joint_inertia
from .velocity import centripetal_acceleration

if TYPE_CHECKING:
    from anyjoint.tree.record import Record


def unbalanced(body: Record, parent: Parent) -> None:
    """Outward: what a link lacks, without forces and contacts.

    Velocities are those in the middle of the step: gyroscopic forces that are felt at its beginning would add energy.
    Springs and dampers know those at the beginning, `drift` before them. `shift` is how links accelerate because axes
    of free bodies turn, `turn`, along which their velocities are: within a step, velocities keep to the axes in its
    middle. `pace` is how links accelerate, against gravity, while velocities stay.
    """
    body.qdd = body.qdd_rest
    accelerate(body, parent)
    h = body.h[0]
    body.tau = body.tau + felt(body.damping, body.drift) + h * felt(body.stiffness, body.drift)
    implicit.stretch(body, h)
    implicit.come_to_rest(body)
    body.shift = body.W.motion(body.A.motion(parent.shift) + (body.S_A + body.S_B) @ body.turn)
    body.pace = vector(*body.wdot, *body.acceleration) - body.shift


def inertias(body: Record, parent: Parent) -> None:
    """Inward: articulated inertias under forces and contacts; bodies of a pile tell theirs, and hand nothing on."""
    implicit.bear(body)
    body.pile = zeros(0)
    if not body.columns.piled:
        implicit.inertias(body, parent)
        return
    J, b, *_ = received(body)
    S, b = body.S_A + body.S_B, b + J @ centripetal_acceleration(body)
    Omega = joint_inertia(S, columns([J @ S[:, j] for j in range(6)]), body.armature)
    body.pile = vector(*(Omega[i, j] for i in range(6) for j in range(i + 1)), *(body.tau - S.T @ b))


def answers(body: Record, parent: Parent) -> None:
    """Outward: how joints and links answer; of a pile, what was found for all of its bodies together."""
    if not body.columns.piled:
        implicit.answers(body, parent)
        return
    alpha = body.A.motion(parent.eta) + body.a + (body.S_A + body.S_B) @ body.found
    body.answer, body.eta, body.carried = body.found, alpha + centripetal_acceleration(body), zeros(0)


CONTACT = algorithm(
    "contact",
    ("outward", unbalanced),
    ("inward", inertias),
    ("outward", answers),
    inputs=[*implicit.ROWS, "drift", "turn", "found", *FEEDS],
    results=["answer", "eta", "shift", "pace", "pile"],
    over="regrouped",
)
