"""Several joints in a row with no body in between [RM section 5.1]."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from anyjoint.errors import InputError
from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar
from anyjoint.spatial import Matrix, Pose, zeros

from .condense import condensed
from .joint import Coordinate, Joint, check_count
from .product_rule import Motion, Piece, product

Values = Sequence[Scalar]


@frozen
class Composite(Joint):
    """Joints in a row, Q = Q1 Q2 ... Qn [RM eq. 42]; q = their coordinates, one after the other."""

    joints: tuple[Joint, ...]

    def __init__(self, *parts: Joint, joints: Sequence[Joint] = ()) -> None:
        chosen = (*parts, *joints)
        if not chosen or not all(isinstance(part, Joint) for part in chosen):
            raise InputError(f"Composite{chosen!r}: give joints, such as Composite(Revolute(), Prismatic())")
        check_count("Composite", sum(part.nv for part in chosen))
        object.__setattr__(self, "joints", chosen)

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        made = []
        for k, part in enumerate(self.joints):
            made += [replace(coordinate, name=f"{k}.{coordinate.name}") for coordinate in part.coordinates]
        return tuple(made)

    @property
    def nv(self) -> int:
        return sum(part.nv for part in self.joints)

    def split(self, q: Sequence[Scalar], v: Sequence[Scalar]) -> Iterator[tuple[Joint, Values, Values]]:
        """Each part with its own coordinates and velocities."""
        at_q = at_v = 0
        for part in self.joints:
            yield part, q[at_q : at_q + part.nq], v[at_v : at_v + part.nv]
            at_q, at_v = at_q + part.nq, at_v + part.nv

    @property
    def rates_are_velocities(self) -> bool:
        return all(part.rates_are_velocities for part in self.joints)

    def velocity_of(self, k: int) -> int | None:
        at_v = 0
        for part in self.joints:
            if k < part.nq:
                own = part.velocity_of(k)
                return None if own is None else at_v + own
            k, at_v = k - part.nq, at_v + part.nv
        return None

    def legs(self, q: Sequence[Scalar]) -> tuple[Pose, Pose]:
        *parts, (last, q_last, _) = self.split(q, [0] * self.nv)
        A, B = last.legs(q_last)
        before = Pose([f for part, q_part, _ in parts for f in part.pose(q_part).factors])
        return before @ A, B

    def motion(self, q: Sequence[Scalar], v: Sequence[Scalar]) -> Motion:
        """The product rule over the parts [RM eq. 45-51]; the last part keeps its two legs."""
        pieces, at = [], 0
        *parts, (last, q_last, v_last) = self.split(q, v)
        for part, q_part, v_part in parts:
            own = part.motion(q_part, v_part).piece(v_part)
            pieces.append(Piece(own.pose, widened(own.S, at, len(v)), own.c))
            at += part.nv
        end = last.motion(q_last, v_last)
        whole = product([*pieces, Piece(end.A, widened(end.S_A, at, len(v)), end.c)], v)
        return Motion(condensed(whole.pose), end.B, whole.S, widened(end.S_B, at, len(v)), whole.c)

    def rate(self, q: Sequence[Scalar], v: Sequence[Scalar]) -> Sequence[Scalar]:
        return [x for part, q_part, v_part in self.split(q, v) for x in part.rate(q_part, v_part)]

    def chart(self, q: Sequence[Scalar], v: Sequence[Scalar]) -> tuple[Sequence[Scalar], Sequence[Scalar]] | None:
        new_q: list[Scalar] = []
        new_v: list[Scalar] = []
        rewritten = False
        for part, q_part, v_part in self.split(q, v):
            result = part.chart(q_part, v_part)
            rewritten = rewritten or result is not None
            own_q, own_v = result if result is not None else (q_part, v_part)
            new_q += own_q
            new_v += own_v
        return (new_q, new_v) if rewritten else None

    def nearest(self, q: Sequence[Scalar], to: Sequence[Scalar]) -> Sequence[Scalar]:
        beside = (own for _, own, _ in self.split(to, [0] * self.nv))
        parts = zip(self.split(q, [0] * self.nv), beside, strict=True)
        return [x for (part, own, _), at in parts for x in part.nearest(own, at)]

    def deflection(self, q: Sequence[Scalar], rest: Sequence[Scalar]) -> Sequence[Scalar]:
        relaxed = (own for _, own, _ in self.split(rest, [0] * self.nv))
        parts = zip(self.split(q, [0] * self.nv), relaxed, strict=True)
        return [x for (part, own, _), at_rest in parts for x in part.deflection(own, at_rest)]

    def speeds(self, q: Sequence[Scalar], v: Sequence[Scalar]) -> Sequence[Scalar]:
        return [x for part, q_part, v_part in self.split(q, v) for x in part.speeds(q_part, v_part)]

    @property
    def speeds_are_velocities(self) -> bool:
        return all(part.speeds_are_velocities for part in self.joints)

    def edges(self, q: Sequence[Scalar]) -> list[Scalar]:
        return [x for part, q_part, _ in self.split(q, [0] * self.nv) for x in part.edges(q_part)]

    def barriers(self, q: Sequence[Scalar]) -> list[Scalar]:
        """Those of the whole; where a part among charts has none, those of the parts."""
        parts = [(part, part.barriers(own)) for part, own, _ in self.split(q, [0] * self.nv) if part.nv]
        if all(found for _, found in parts):
            return super().barriers(q)
        return [x for _, found in parts for x in found]

    def sides(self, q: Sequence[Scalar]) -> list[tuple[str, Sequence[Scalar]]]:
        return [x for part, q_part, _ in self.split(q, [0] * self.nv) for x in part.sides(q_part)]

    def singularity(self, q: Sequence[float]) -> str | None:
        found = (part.singularity(q_part) for part, q_part, _ in self.split(q, [0.0] * self.nv))
        return next((sentence for sentence in found if sentence), None) or self.stuck(q)


def widened(S: Matrix, at: int, width: int) -> Matrix:
    """A part's Jacobian among the columns of the whole."""
    out = zeros(6, width)
    out[:, at : at + S.shape[1]] = S
    return out
