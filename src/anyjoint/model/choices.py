"""What a user may choose when compiling, checked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from anyjoint.errors import InputError
from anyjoint.mechanism import Mechanism

from .change import add_springs, find


def checked_form(form: str) -> str:
    """Straight code, kernels, or what is best."""
    if form not in ("auto", "straight", "kernels"):
        raise InputError(f'form={form!r}; expected "auto", "straight" or "kernels"')
    return form


def checked_vary(names: Iterable[str], mechanism: Mechanism) -> tuple[str, ...]:
    """Names of parameters that the mechanism has; springs, dampers and armature it has from now on."""
    if isinstance(names, str) or not isinstance(names, Iterable):
        example = [names] if isinstance(names, str) else ["rod/mass"]
        raise InputError(f"vary={names!r}; expected a list of names of parameters, such as {example!r}")
    names = tuple(names)
    add_springs(mechanism, names)
    for name in names:
        find(mechanism, name)
    return names


def checked_algorithm(algorithm: str, mechanism: Mechanism) -> str:
    """A formulation that can be had for the mechanism."""
    if algorithm == "auto":
        return algorithm
    from anyjoint.quantity.formulations import CARRYING, FOLLOWING, FORMULATIONS, SOLVING

    if algorithm not in FORMULATIONS:
        raise InputError(f"algorithm {algorithm!r} is unknown; choose one of {', '.join(['auto', *FORMULATIONS])}")
    followers = ", ".join(repr(b.name) for b in mechanism.followers)
    if followers and algorithm not in FOLLOWING:
        raise InputError(
            f"algorithm {algorithm!r} needs joints with coordinates of their own, but {followers} follow others;"
            f" use one of {_choices(FOLLOWING)}"
        )
    if mechanism.constraints and algorithm not in (*CARRYING, *SOLVING):
        raise InputError(
            f"algorithm {algorithm!r} knows no constraints, but {mechanism.name!r} has some; use one of"
            f" {_choices(CARRYING)} (sweeps that carry the multipliers) or {', '.join(SOLVING)} (dense)"
        )
    return algorithm


def _choices(names: Sequence[str]) -> str:
    return ", ".join(["auto", *names])
