"""A force of one's own: any function of poses and coordinates, and what pushes along it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from anyjoint.constraints import Push
from anyjoint.errors import InputError
from anyjoint.frozen import frozen
from anyjoint.mechanism import Mechanism
from anyjoint.mechanism.body import Where
from anyjoint.scalar import Scalar

from .energy import conservative
from .force import ask, body_index, driven_body
from .signal import Functions


@frozen(eq=False)
class Custom:
    """Efforts e(s, rate, numbers, signals) along whatever `measure` measures of poses and coordinates.

    `measure` is a plain function of the poses of `bodies`, then an array of the coordinates (body, number) if there are
    some, then the numbers. Instead of an effort, an `energy(s, numbers)` may be given: the effort is minus its slope.
    With both, the energy is what is stored. `signals` are functions of time.

    >>> import anyjoint as aj
    >>> quartic = aj.forces.Custom(lambda a, n: a.p[0], energy=lambda s, n: 3 * s[0] ** 4, bodies=["ball"])
    """

    measure: Callable[..., Scalar]
    effort: Callable[..., Scalar] | None = None
    bodies: Sequence[Where] = ()
    coordinates: Sequence[tuple[Where, int]] = ()
    numbers: Sequence[float] = ()
    signals: Functions = ()
    energy: Callable[..., Scalar] | None = None

    def __post_init__(self) -> None:
        if self.effort is None and self.energy is None:
            raise InputError("Custom: neither effort nor energy; give effort(s, rate, numbers, signals), or an energy")
        if not self.bodies and not self.coordinates:
            raise InputError("Custom: it acts on nothing; name bodies, or coordinates as (body, number)")

    def pushes(self, mechanism: Mechanism) -> list[Push]:
        bodies = tuple(body_index(mechanism, body, "Custom") for body in self.bodies)
        places = [(driven_body(mechanism, body, k, "Custom").index, k) for body, k in self.coordinates]
        numbers = tuple(float(x) for x in self.numbers)
        energy = Told("energy", self.energy) if self.energy else None
        effort = Told("effort", self.effort) if self.effort else conservative(energy)
        return [
            Push(what="Custom", measure=Told("measure", self.measure), effort=effort, bodies=bodies,
                 coordinates=tuple(places), numbers=numbers, signals=tuple(self.signals), energy=energy)
        ]  # fmt: skip


@frozen
class Told:
    """A function of the user's that tells what goes wrong in it; equal for the same one, so that code is shared."""

    name: str
    function: Callable[..., Scalar]

    def __call__(self, *given: Scalar) -> Scalar:
        return ask(f"Custom: {self.name}", self.function, *given)
