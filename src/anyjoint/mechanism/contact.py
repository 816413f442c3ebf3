"""Contacts that open and close: a body that flies, slides or rolls on its parent, and the joint of each mode.

A mode is a joint: free, touching at a point, rolling there [PAK section 6]. A mechanism is always in one combination of
modes; `in_modes` gives it in another, with the same bodies in the same order and other coordinates.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from anyjoint import joints
from anyjoint.errors import InputError, ModelError
from anyjoint.frozen import frozen
from anyjoint.options import nearest
from anyjoint.scalar import is_real

if TYPE_CHECKING:
    from anyjoint.geometry.surfaces import Surface
    from anyjoint.joints import Joint

    from .body import Body
    from .inertia import Inertia
    from .mechanism import Mechanism

FLIGHT, SLIDING, ROLLING = "flight", "sliding", "rolling"
MODES = (FLIGHT, SLIDING, ROLLING)


@frozen
class ContactLaw:
    """How a body touches its parent: by which surfaces (the parent's, then its own), how rough, how elastic; its mode.

    `friction` is Coulomb's coefficient, `restitution` Newton's.
    """

    surfaces: tuple[Surface, Surface]
    friction: float
    restitution: float
    mode: str

    def joint(self, mode: str) -> Joint:
        """The joint of a mode."""
        return joints.FreeQuaternion() if mode == FLIGHT else joints.Rolling(*self.surfaces, slip=mode == SLIDING)

    def of_joint(self, joint: Joint) -> ContactLaw:
        """The same law on the surfaces of a joint, whose numbers may have changed."""
        return replace(self, surfaces=(joint.surface1, joint.surface2)) if isinstance(joint, joints.Rolling) else self


def contact_law(name: str, surfaces: Any, friction: Any, restitution: Any, start: Any, inertia: Inertia) -> ContactLaw:
    """The law that a user described, checked."""
    where = f"contact body {name!r}"
    if not isinstance(surfaces, Sequence) or len(surfaces) != 2:
        raise ModelError(
            f"{where}: surfaces={surfaces!r}; expected two, that of the parent and its own, such as "
            "(surfaces.Plane(), surfaces.Sphere(0.1))"
        )
    first, second = (_surface(where, given) for given in surfaces)
    if not is_real(friction) or not 0 <= float(friction) < math.inf:
        raise ModelError(f"{where}: friction={friction!r}; expected a finite number that is not negative")
    if not is_real(restitution) or not 0 <= float(restitution) <= 1:
        raise ModelError(f"{where}: restitution={restitution!r}; expected a number from 0 (no bounce) to 1 (no loss)")
    if start not in MODES:
        raise ModelError(f"{where}: start={start!r} is no mode{nearest(start, MODES)}")
    if not inertia.is_definite:
        raise ModelError(
            f"{where}: it may fly, so it needs mass and extent in all directions; got mass {inertia.mass}, "
            f"tensor {inertia.tensor.tolist()}"
        )
    law = ContactLaw((first, second), float(friction), float(restitution), start)
    try:
        touching = law.joint(SLIDING)
    except InputError as error:
        raise ModelError(f"{where}: {error}") from error
    return law.of_joint(touching)


def _surface(where: str, given: Any) -> Surface:
    from anyjoint.geometry.surfaces import Surface, as_surface  # most robots have none

    if not isinstance(given, Surface) and not callable(given):
        raise ModelError(f"{where}: {given!r} is no surface; give one of anyjoint.surfaces, or a function of (u, v)")
    return as_surface(given)


def contact_bodies(mech: Mechanism) -> list[Body]:
    """The bodies whose contacts open and close."""
    return [body for body in mech.bodies if body.contact]


def modes_of(mech: Mechanism) -> dict[str, str]:
    """The present modes of the contact bodies, by name."""
    return {body.name: body.contact.mode for body in mech.bodies if body.contact}


def in_modes(mech: Mechanism, modes: Mapping[str, str]) -> Mechanism:
    """The mechanism with some contact bodies in other modes; its own start is kept where none changes."""
    known = modes_of(mech)
    for name, mode in modes.items():
        if name not in known:
            raise InputError(f"modes: {name!r} is no contact body of {mech.name!r}{nearest(name, known)}")
        if mode not in MODES:
            raise InputError(f"modes: {mode!r} of {name!r} is no mode{nearest(mode, MODES)}")
    made = copy.copy(mech)
    at_q = at_v = 0
    for body in mech.bodies:
        wanted = modes.get(body.name)
        if body.contact and wanted and wanted != body.contact.mode:
            body = _in_mode(body, body.contact, wanted)
            made.start = None
        nq, nv = body.joint.nq, body.joint.nv
        if (body.q.start, body.v.start) != (at_q, at_v) or body.q.stop != at_q + nq or body.v.stop != at_v + nv:
            body = replace(body, q=slice(at_q, at_q + nq), v=slice(at_v, at_v + nv))
        made.replace_body(body)
        at_q, at_v = at_q + nq, at_v + nv
    return made


def _in_mode(body: Body, law: ContactLaw, mode: str) -> Body:
    joint = law.joint(mode)
    none, unlimited = (0.0,) * joint.nv, (math.inf,) * joint.nv
    return replace(
        body, joint=joint, contact=replace(law, mode=mode), stiffness=none, damping=none, armature=none, friction=none,
        rest=tuple(c.neutral for c in joint.coordinates), effort=unlimited, speed=unlimited,
    )  # fmt: skip
