"""Armature in runs: inertia along velocities has to stay what it is while a joint moves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from anyjoint.errors import InputError

if TYPE_CHECKING:
    from anyjoint.mechanism import Mechanism
    from anyjoint.model.parameter_rows import ParameterRows


def check_rotors(mechanism: Mechanism, rows: ParameterRows | None = None) -> None:
    """Refuse armature along the velocities of a chart: kinetic energy would jump where the chart changes."""
    for body in mechanism.bodies:
        own = rows.columns.get(f"{body.name}/armature", ()) if rows else ()
        if body.joint.speeds_are_velocities or not (any(body.armature) or np.any(own)):
            continue
        raise InputError(
            f"body {body.name!r}: armature {body.armature} is inertia along velocities, and those of"
            f" {type(body.joint).__name__} belong to a chart that changes while it moves, so that energy would jump;"
            " use joints.SphericalQuaternion or FreeQuaternion, or add it to the body's inertia"
        )
