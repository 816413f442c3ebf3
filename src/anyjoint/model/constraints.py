"""What a model says about its constraints: forces, errors, degrees of freedom, and states that are on them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from anyjoint.dynamics.constraint_jacobian import places
from anyjoint.errors import InputError
from anyjoint.frozen import frozen
from anyjoint.mechanism.checks import check_regular
from anyjoint.mechanism.constrain import coordinate_place
from anyjoint.mechanism.constraint_checks import check_slopes
from anyjoint.scalar.array import ArrayLike, Floats
from anyjoint.trace.constrained import velocities

from .arguments import checked_row
from .part import Part

if TYPE_CHECKING:
    from anyjoint.mechanism import Mechanism
    from anyjoint.model import Model
    from anyjoint.model.parameter_rows import Given
    from anyjoint.model.part import WhichBody

CLOSED = 1e-12  # errors at which a state counts as assembled, in metres and radians
SETTLED = 1e-9  # the same where rounding of large numbers is in the way
ITERATIONS = 200


@frozen
class Residual:
    """By how much a constraint is missed: positions (rows on velocities alone have none: 0) and velocities."""

    position: Floats
    velocity: Floats


@frozen
class Mobility:
    """Degrees of freedom that constraints leave at a place, and the rows that others imply, by name."""

    degrees_of_freedom: int
    rows: int
    redundant: tuple[str, ...]

    def __int__(self) -> int:
        return self.degrees_of_freedom


class ConstraintQuestions(Part):
    """The part of Model that is about constraints."""

    def constraint_multipliers(
        self, q: ArrayLike, v: ArrayLike, tau: ArrayLike | None = None, t: ArrayLike | None = None, *,
        out: Floats | None = None, threads: int = 1, parameters: Given | None = None,
    ) -> Floats:  # fmt: skip
        """Multipliers (nc,) of all constraint rows, M a + G^T y = tau - bias; those of rows that others imply are 0."""
        y = self._multipliers(q, v, tau, t, parameters, out, threads)
        if self.whole.held:
            rows = None if parameters is None else self.whole.parameter_rows(parameters)
            self.whole.held.check("constraint_multipliers", y, q, t, rows)
        return y

    def _multipliers(
        self, q: ArrayLike, v: ArrayLike, tau: ArrayLike | None, t: ArrayLike | None, parameters: Given | None = None,
        out: Floats | None = None, threads: int = 1,
    ) -> Floats:  # fmt: skip
        """The same at change points, too, where they are those of motions that only some of the rows hold."""
        given = (q, v, np.zeros(self.nv, self.dtype) if tau is None else tau, *self.whole.clock(t))
        return self.whole.evaluate("constraint_multipliers", given, out, threads, parameters)

    def constraint_forces(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike | None = None,
        *,
        t: ArrayLike | None = None,
        parameters: Given | None = None,
    ) -> dict[str, Floats]:
        """Multipliers by constraint: M a + G^T y = tau - bias.

        Those of a loop are reactions along and about the axes of its first frame. Where rows are redundant, one choice
        of many is made: rows that others imply get 0.
        """
        return self._by_name(np.asarray(self.whole.constraint_multipliers(q, v, tau=tau, t=t, parameters=parameters)))

    def constraint_residual(
        self, q: ArrayLike, v: ArrayLike | None = None, *, t: ArrayLike | None = None, parameters: Given | None = None
    ) -> dict[str, Residual]:
        """Errors of positions and velocities by constraint; at rest unless v is given."""
        q = np.asarray(q, self.dtype)
        v = np.zeros((*q.shape[:-1], self.nv), self.dtype) if v is None else v
        position, velocity = self.whole.constraint_errors(q, v, t=t, parameters=parameters)
        found = zip(self._by_name(position).items(), self._by_name(velocity).values(), strict=True)
        return {name: Residual(x, y) for (name, x), y in found}

    def constraint_jacobian(
        self, q: ArrayLike, *, t: ArrayLike | None = None, parameters: Given | None = None
    ) -> Floats:
        """G (nc, nv): the rates of all rows per unit velocities."""
        shape, model = (self.mechanism.nc, self.nv), self.whole
        entries = np.asarray(model.evaluate("constraint_entries", (q, *model.clock(t)), parameters=parameters))
        G = np.zeros((shape[0] * shape[1], *entries.shape[:-1]), self.dtype)
        numbers, rows, columns = self._entry_places
        np.add.at(G, rows * self.nv + columns, np.moveaxis(entries[..., numbers], -1, 0))
        return np.moveaxis(G, 0, -1).reshape(*entries.shape[:-1], *shape)

    def mobility(self, q: ArrayLike, *, t: ArrayLike | None = None) -> Mobility:
        """How many degrees of freedom are left at q, and which rows are redundant there: those that do not push."""
        q = checked_row("mobility", q, "q", self.nq, self.dtype)
        if q.ndim > 1:
            raise InputError(f"mobility: q has shape {q.shape}; it is about one place, of shape ({self.nq},)")
        force = np.random.default_rng(0).normal(size=self.nv).astype(self.dtype)  # that all others feel
        y = self._multipliers(q, np.zeros_like(force), force, t)
        redundant = self.hard_rows & (np.asarray(y) == 0)
        rows = int(np.count_nonzero(self.hard_rows))
        names = tuple(name for name, implied in zip(self.row_names, redundant, strict=True) if implied)
        return Mobility(self.nv - rows + len(names), rows, names)

    def assemble(
        self,
        q0: ArrayLike | None = None,
        v0: ArrayLike | None = None,
        *,
        hold: Sequence[str] = (),
        t: float = 0.0,
        progress: Callable[[int, float], object] | None = None,
    ) -> tuple[Floats, Floats]:
        """The state on the constraints that is nearest to a rough guess; coordinates named in `hold` stay.

        Nearness is measured by kinetic energy. Without q0 it begins at the mechanism's own start. Of a batch, states
        are assembled one after the other.
        """
        start = self.mechanism.start or (self.mechanism.neutral, np.zeros(self.nv))
        q = checked_row("assemble", start[0] if q0 is None else q0, "q0", self.nq, np.dtype(float))
        check_regular(self.mechanism)
        given = np.zeros(self.nv) if v0 is None else v0
        v = checked_row("assemble", given, "v0", self.nv, np.dtype(float))
        assembly = Assembly(self.whole, [hold] if isinstance(hold, str) else hold, t, progress)
        if q.ndim == v.ndim == 1:
            return assembly.run(np.array(q), np.array(v))
        rows = {len(x) for x in (q, v) if x.ndim > 1}
        if len(rows) > 1:
            raise InputError(f"assemble: {len(q)} rows of q0, but {len(v)} of v0; give as many of both, or one state")
        pairs = zip(*(np.broadcast_to(x, (*rows, x.shape[-1])) for x in (q, v)), strict=True)
        found = [assembly.run(np.array(guess), np.array(speeds)) for guess, speeds in pairs]
        made_q, made_v = ([state[k] for state in found] for k in (0, 1))
        return np.reshape(made_q, (-1, self.nq)), np.reshape(made_v, (-1, self.nv))

    @property
    def hard_rows(self) -> Floats:
        """Of each row whether it holds; soft ones give way."""
        return np.array([not c.compliance for c in self.mechanism.constraints for _ in range(c.count)], dtype=bool)

    def stored_in_constraints(
        self, q: ArrayLike, t: ArrayLike | None = None, parameters: Given | None = None
    ) -> Floats:
        """Energy in soft rows that change with time, for a batch of states; that of others is in `energy`."""
        q = np.asarray(q, self.dtype)
        soft = [0.0 if c.stores else c.compliance for c in self.mechanism.constraints for _ in range(c.count)]
        if not any(soft):
            return np.zeros(q.shape[:-1])
        per = np.array([0.5 / c if c else 0.0 for c in soft])
        rest = np.zeros((*q.shape[:-1], self.nv), self.dtype)
        position, _ = self.whole.constraint_errors(q, rest, t=t, parameters=parameters)
        return np.asarray(np.asarray(position) ** 2 @ per)

    @property
    def row_names(self) -> list[str]:
        """Names of all constraint rows: constraint, and row if it has several."""
        return [
            constraint.name if constraint.count == 1 else f"{constraint.name}/{row}"
            for constraint in self.mechanism.constraints
            for row in constraint.row_names
        ]

    def soft_forces(
        self, q: ArrayLike, v: ArrayLike, t: ArrayLike | None = None, parameters: Given | None = None
    ) -> Floats:
        """Generalized forces of soft rows, -G^T y with y = error / compliance, or rate / compliance for dampers."""
        constraints = [(c.holonomic, c.compliance) for c in self.mechanism.constraints for _ in range(c.count)]
        springs, compliance = np.array(constraints, dtype=float).reshape(-1, 2).T
        soft = compliance > 0
        if not soft.any():
            return np.zeros(np.shape(v))
        found = self.whole.constraint_errors(q, v, t=t, parameters=parameters)
        error, rate = (np.asarray(x, dtype=float) for x in found)
        push = np.where(springs > 0, error, rate)[..., soft] / compliance[soft]
        G = self.constraint_jacobian(q, t=t, parameters=parameters)[..., soft, :].astype(float)
        return np.asarray(-np.einsum("...ij,...i->...j", G, push))

    def constraint_power(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike | None = None,
        *,
        t: ArrayLike | None = None,
        parameters: Given | None = None,
    ) -> Floats:
        """Power that constraints bring in: those that move by themselves (motors, belts), and soft ones that damp.

        Rows at rest do no work, and what soft ones store on positions counts as energy, so that of these only the
        power is left with which their rest position is moved.
        """
        q, v = np.asarray(q, self.dtype), np.asarray(v, self.dtype)
        y = np.asarray(self._multipliers(q, v, tau, t, parameters), dtype=float)
        errors = (self.whole.constraint_errors(q, x, t=t, parameters=parameters) for x in (v, 0 * v))
        rate, own = (np.asarray(x[1], dtype=float) for x in errors)
        springs = [bool(c.compliance) and c.holonomic for c in self.mechanism.constraints for _ in range(c.count)]
        return np.asarray((y * np.where(springs, own, own - rate)).sum(-1))

    @cached_property
    def _entry_places(self) -> Floats:
        counts = [constraint.count for constraint in self.mechanism.constraints]
        if not counts:
            return np.zeros((3, 0), dtype=int)
        closed = self.workshop.closed()
        return np.array(list(places(closed, counts, velocities(self.mechanism, closed))), dtype=int).reshape(-1, 3).T

    def _by_name(self, rows: Floats) -> dict[str, Floats]:
        ends = np.cumsum([constraint.count for constraint in self.mechanism.constraints])
        parts = np.split(rows, ends[:-1], axis=-1) if len(ends) else []
        return {c.name: part for c, part in zip(self.mechanism.constraints, parts, strict=True)}


def velocities_of(model: Model, item: WhichBody, where: str) -> list[int]:
    """The velocities of a coordinate, or of all coordinates of a body."""
    mechanism: Mechanism = model.mechanism
    if isinstance(item, str) and item not in mechanism:
        index, k = coordinate_place(mechanism, item, where)
        body = mechanism.bodies[index]
        return [body.v.start + (body.joint.velocity_of(k) or 0)]
    body = mechanism.bodies[model.body_index(item)]
    return list(range(body.v.start, body.v.stop))


class Assembly:
    """Newton's method with steps that are shortened until they help."""

    def __init__(
        self, model: Model, hold: Sequence[str], t: float, progress: Callable[[int, float], object] | None
    ) -> None:
        self.model, self.clock, self.progress = model, model.clock(t), progress
        self.held = np.zeros(model.nv, dtype=bool)
        for name in hold:
            self.held[velocities_of(model, name, "assemble")] = True

    def run(self, q: Floats, v: Floats) -> tuple[Floats, Floats]:
        """Positions first, then velocities."""
        q = self._positions(q)
        check_slopes(self.model.mechanism, q)
        rates = self._rates(q, v)
        if not np.isfinite(rates).all():
            names = [name for name, x in zip(self.model.row_names, rates, strict=True) if not np.isfinite(x)]
            raise InputError(f"assemble: no velocities meet {', '.join(names)}: rates there are not finite")
        v = v + self._least(q, rates)
        left = self._rates(q, v)
        if np.abs(left).max(initial=0.0) > SETTLED * (1.0 + np.abs(v).max(initial=0.0)):
            self._give_up(left, "velocities")
        return q, v

    def _positions(self, q: Floats) -> Floats:
        error = self._errors(q)
        for k in range(ITERATIONS):
            size = float(np.abs(error).max(initial=0.0))
            if self.progress:
                self.progress(k, size)
            if size == 0 or (k == 0 and size <= CLOSED):
                return q
            found = self._better(q, error, size <= CLOSED)
            if found is None:
                if size <= SETTLED:
                    return q
                self._give_up(error)
            else:
                q, error = found
        self._give_up(error)
        return q

    def _better(self, q: Floats, error: Floats, closed: bool) -> tuple[Floats, Floats] | None:
        """Coordinates that miss less, and by how much; once closed, whole steps alone may help, down to rounding."""
        for step in self._corrections(q, error):
            length = 1.0
            while length > (0.5 if closed else 1e-6):
                new = self._moved(q, length * step)
                left = self._errors(new)
                if np.isfinite(left).all() and np.linalg.norm(left) < (1 - 0.1 * length) * np.linalg.norm(error):
                    return new, left
                length /= 2
        return None

    def _errors(self, q: Floats) -> Floats:
        position, _ = self.model.program("constraint_errors").split(
            self.model.program("constraint_errors")(q, np.zeros(self.model.nv), *self.clock)
        )
        return np.where(self.model.hard_rows, position, 0.0).astype(float)

    def _corrections(self, q: Floats, error: Floats) -> Iterator[Floats]:
        """The step of the sweeps, which gives way near singular places, and one that does not."""
        if not self.held.any():
            d = np.asarray(self.model.program("position_correction")(q, *self.clock), dtype=float)
            if np.isfinite(d).all() and np.linalg.norm(d) < 10.0 * max(1.0, float(np.linalg.norm(q))):
                yield d
        yield self._least(q, error)

    def _rates(self, q: Floats, v: Floats) -> Floats:
        row = self.model.program("constraint_errors")(q, v, *self.clock)
        return np.where(self.model.hard_rows, row[self.model.mechanism.nc :], 0.0).astype(float)

    def _least(self, q: Floats, error: Floats) -> Floats:
        """The correction of least kinetic energy on the coordinates that are not held."""
        model, free = self.model, ~self.held
        G = np.asarray(model.constraint_jacobian(q, t=float(self.clock[0][0]) if self.clock else None), dtype=float)
        M = np.asarray(model.mass_matrix(q), dtype=float)[np.ix_(free, free)]
        L = np.linalg.cholesky(M)
        G, error = G[model.hard_rows], error[model.hard_rows]
        weighted = np.linalg.solve(L, G[:, free].T).T
        d = np.zeros(model.nv)
        d[free] = np.linalg.solve(L.T, np.linalg.lstsq(weighted, -error, rcond=1e-9)[0])
        return d

    def _moved(self, q: Floats, d: Floats) -> Floats:
        model = self.model
        q = q + np.asarray(model.coordinate_rates(q, d), dtype=float)
        return np.asarray(model.rechart(q, np.zeros(model.nv))[0], dtype=float)

    def _give_up(self, error: Floats, what: str = "the constraints") -> None:
        names, order = self.model.row_names, np.argsort(-np.abs(error))[:4]
        rows = ", ".join(f"{names[k]} by {error[k]:.3g}" for k in order if abs(error[k]) > SETTLED)
        held = " with the coordinates that are held" if self.held.any() else ""
        raise InputError(
            f"assemble: {what} cannot be met{held} from this guess; still open: {rows}. Begin nearer to a "
            "state that exists, hold less, or check lengths"
        )
