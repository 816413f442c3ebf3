"""A pose from six scalar functions about given axes, as biomechanics models describe knees and shoulders."""

import math
from collections.abc import Callable, Sequence
from typing import Any

from anyjoint.errors import InputError
from anyjoint.frozen import frozen
from anyjoint.geometry.functions import Constant
from anyjoint.scalar import Scalar, user_code
from anyjoint.spatial import Axis, Pose, unit_axis, vector, zeros

from .joint import Coordinate, Joint

FREE = (-math.inf, math.inf)
MOST = {"rotations": 6, "translations": 3}  # terms; every rotation turns what comes after it


@frozen
class Term:
    """One rotation about or translation along `axis` by function(coordinates); the function takes as many numbers."""

    axis: Axis
    function: Callable[..., Scalar]
    coordinates: tuple[int, ...] = (0,)

    def __post_init__(self) -> None:
        object.__setattr__(self, "axis", unit_axis(self.axis, "FunctionBased axis"))
        given = (self.coordinates,) if isinstance(self.coordinates, int) else tuple(self.coordinates)
        object.__setattr__(self, "coordinates", given)
        if not callable(self.function):
            raise InputError(f"FunctionBased: expected a function such as functions.Linear(), got {self.function!r}")

    @property
    def absent(self) -> bool:
        """True if the term is the constant 0, whatever the coordinates."""
        return isinstance(self.function, Constant) and self.function.value == 0

    def value(self, q: Sequence[Scalar]) -> Scalar:
        """The angle or distance at q."""
        at = [q[k] for k in self.coordinates] or [0.0]
        with user_code("FunctionBased: a function", self.function, at):
            return self.function(*at)


@frozen
class FunctionBased(Joint):
    """Q = Trans(sum a_k f_k(q)) Rot(a_1, f_1(q)) Rot(a_2, f_2(q)) ..., as OpenSim's CustomJoint.

    Terms are `Term(axis, function, coordinates)` or such a tuple; functions come from `anyjoint.functions` or are your
    own. `names` names the coordinates, `domains` says where they move, and `limits` where they may go.
    """

    rotations: Any = ()
    translations: Any = ()
    names: tuple[str, ...] = ("q0",)
    domains: tuple[tuple[float, float], ...] = ()
    limits: tuple[tuple[float, float], ...] = ()

    def __post_init__(self) -> None:
        for field in ("rotations", "translations"):
            terms = tuple(t if isinstance(t, Term) else Term(*t) for t in getattr(self, field))
            object.__setattr__(self, field, terms)
            if len(terms) > MOST[field]:
                raise InputError(f"FunctionBased({field}=...): {len(terms)} given, at most {MOST[field]} make sense")
        object.__setattr__(self, "names", tuple(self.names))
        used = {k for term in (*self.rotations, *self.translations) for k in term.coordinates}
        unknown = sorted(k for k in used if not 0 <= k < len(self.names))
        unused = [name for k, name in enumerate(self.names) if k not in used]
        if unknown:
            raise InputError(
                f"FunctionBased with coordinates {self.names}: terms use the numbers {unknown}; number coordinates "
                f"from 0 to {len(self.names) - 1}"
            )
        if unused:
            raise InputError(
                f"FunctionBased with coordinates {self.names}: no term uses {', '.join(map(repr, unused))}, which then "
                "moves nothing; use each coordinate at least once, or leave it out of names="
            )
        for field in ("domains", "limits"):
            try:
                given = tuple((float(low), float(high)) for low, high in getattr(self, field))
            except (TypeError, ValueError):
                expected = "expected a pair (low, high) of numbers for each coordinate"
                raise InputError(f"FunctionBased: {field}={getattr(self, field)!r}; {expected}") from None
            object.__setattr__(self, field, given)
            if given and len(given) != len(self.names):
                raise InputError(f"FunctionBased: {len(given)} {field} for {len(self.names)} coordinates")

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        limits = self.limits or (FREE,) * len(self.names)
        units = [self._unit(k) for k in range(len(self.names))]
        if not self.domains:
            plain = zip(self.names, limits, units, strict=True)
            return tuple(Coordinate(name, limits=ends, unit=unit) for name, ends, unit in plain)
        made = zip(self.names, self.domains, limits, units, strict=True)
        return tuple(Coordinate(name, d, ends, neutral=(d[0] + d[1]) / 2, unit=unit) for name, d, ends, unit in made)

    def _unit(self, k: int) -> str:
        """A coordinate that turns nothing is a length."""
        turns = any(k in term.coordinates and not isinstance(term.function, Constant) for term in self.rotations)
        return "rad" if turns else "m"

    def pose(self, q: Sequence[Scalar]) -> Pose:
        shift = zeros(3)
        for term in self.translations:
            shift = shift + vector(*term.axis) * self._value(term, q)
        pose = Pose.translation(*shift)
        for term in self.rotations:
            pose = pose if term.absent else pose @ Pose.rotation(term.axis, self._value(term, q))
        return pose

    def _value(self, term: Term, q: Sequence[Scalar]) -> Scalar:
        with user_code("a function of FunctionBased", term.function, q):
            return term.value(q)
