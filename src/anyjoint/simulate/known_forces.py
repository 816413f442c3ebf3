"""Parameters that forces are made of: masses of an `Attraction`, where a body stands that is welded to the ground."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from anyjoint.errors import InputError
from anyjoint.forces.program import ForceProgram, pushes_of, welded_to_ground
from anyjoint.mechanism import Mechanism
from anyjoint.model.varied import varied


def check_built_into(program: ForceProgram, mechanism: Mechanism, names: Iterable[str], what: str) -> None:
    """Refuse parameters with which forces would have other numbers, since steps take these as they are."""
    if not program.pushes:
        return
    known = _made_of(program, mechanism)
    for name in names:
        (other, *_) = varied(mechanism, [name])
        for (force, *numbers), (_, *others) in zip(known, _made_of(program, other), strict=True):
            if numbers != others:
                raise InputError(
                    f"{what}: the force {force} is made of {name!r}, which would be felt by the bodies alone; set it"
                    " with model.parameters and simulate for each value"
                )


def _made_of(program: ForceProgram, mechanism: Mechanism) -> list[tuple[str, Sequence[float], list[object]]]:
    """Of each push: what it is, its numbers, and where bodies stand that it knows as the ground."""
    standing = {body: pose.matrix.tolist() for body, pose in welded_to_ground(mechanism).items()}
    pushes = [push for force in program.given for push in pushes_of(mechanism, force)]
    return [(push.what, push.numbers, [standing.get(body) for body in push.bodies]) for push in pushes]
