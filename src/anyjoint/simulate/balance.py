"""Where the energy of a motion goes: what the mechanism has, what was done on it, and what is left over."""

from __future__ import annotations

import numpy as np

from anyjoint.forces.limits import limited_coordinates
from anyjoint.scalar.array import Floats

from .samples import flat_rows, integral
from .states import States


class Balance(States):
    """The part of Trajectory that counts energy and work."""

    done: Floats | None
    stored: Floats | None

    def energy(self) -> tuple[Floats, Floats]:
        """Kinetic and potential energy at every sample; springs and stiffness count as potential."""
        kinetic, potential = self._own_energy()
        stored = self.stored_in_forces()
        return kinetic, potential if stored is None else potential + stored

    def _own_energy(self) -> tuple[Floats, Floats]:
        """Energy of the mechanism, soft constraints included."""
        model = self.own_model()
        kinetic, potential = self._over(model.energy)
        if not model.mechanism.constraints:
            return kinetic, potential
        t = self._times() if model.mechanism.timed else None
        stored = model.stored_in_constraints(flat_rows(self.q), t, self._rows())
        return kinetic, potential + np.reshape(stored, np.shape(potential))

    def stored_in_forces(self) -> Floats | None:
        """Energy in springs among the forces of the run at every sample, or None."""
        forces = self.drive.forces if self.drive is not None else None
        return forces.stored(self.q, self.v) if forces is not None and forces.stores else self.stored

    def work(self) -> Floats:
        """Work that dampers, forces, inputs and constraints that move have done on the mechanism up to every sample.

        A run integrates it as it integrates velocities; of constraints, and of other motions (resampled), the power at
        the samples is integrated, which does not see what happens between them.
        """
        if self.done is not None and self.drive is None:  # all of it, from a file
            return self.done
        work = self._work_of_forces()
        return work + self._work_of_constraints() if self.is_driven() else work

    def is_driven(self) -> bool:
        """Whether constraints may do work: those that change with time, and those on velocities."""
        return any(c.time or not c.holonomic for c in self.own_model().mechanism.constraints)

    def _work_of_constraints(self) -> Floats:
        """Of those that move; under contacts, and stops that are a part of steps, their forces are not known."""
        if self.contacts or self._resisted():
            return np.zeros(self.v.shape[:-1])
        tau = np.zeros(self.v.shape) if self.drive is None else self._applied(self.drive)
        model, rows = self.own_model(), [flat_rows(x) for x in (self.q, self.v, tau)]
        t = self._times() if model.mechanism.timed else None
        power = model.constraint_power(*rows, t=t, parameters=self._rows())
        return integral(self.t, power.reshape(self.v.shape[:-1]))

    def _work_of_forces(self) -> Floats:
        if self.done is not None:
            return self.done
        model = self.own_model()
        flat_q, flat_v = flat_rows(self.q), flat_rows(self.v)
        own = {"parameters": self._rows()}
        drag = model.passive_forces(flat_q, flat_v, **own) - model.passive_forces(flat_q, 0 * flat_v, **own)
        force = np.asarray(drag).reshape(self.v.shape)
        if self.drive is not None:
            force = force + self._applied(self.drive)
        return integral(self.t, (force * self.v).sum(-1))

    def energy_balance(self) -> Floats:
        """Energy of the mechanism at every sample, less what it began with and the work done on it: 0 but for errors.

        Springs among the `forces` of the run count as work here, not as storage. What a stop takes cannot be told from
        samples, so steps at a joint's limits are left out.
        """
        return self._balance(*self._own_energy())

    def energy_and_work(self) -> Floats:
        """Energy of the mechanism at every sample, less the work done on it: what contacts and friction leave."""
        kinetic, potential = self._own_energy()
        return np.asarray(kinetic + potential - self.work())

    def _balance(self, kinetic: Floats, potential: Floats) -> Floats:
        gained = np.diff(kinetic + potential - self.work(), axis=0)
        gained[self._at_stops()] = 0.0
        return np.concatenate([np.zeros_like(kinetic[:1]), np.cumsum(gained, axis=0)])

    def _at_stops(self) -> Floats:
        """Whether a coordinate may be beyond its limits within a step between two samples, or in its neighbours."""
        beyond = np.zeros(self.q.shape[:-1], dtype=bool)
        ahead = self.t[-1:] + (np.diff(self.t[-2:]) if len(self.t) > 1 else 0.0)
        step = np.diff(self.t, append=ahead).reshape(-1, *(1 for _ in beyond.shape[1:]))
        for _, at, rate, (low, high) in limited_coordinates(self.own_model().mechanism):
            reach = step * np.abs(self.v[..., rate])  # a stop may have been met, and left, between two samples
            beyond |= (self.q[..., at] - reach < low) | (self.q[..., at] + reach > high)
        touched = np.pad(beyond, [(1, 1)] + [(0, 0)] * (beyond.ndim - 1))
        return np.asarray(touched[:-3] | touched[1:-2] | touched[2:-1] | touched[3:])

    def balance_error(self) -> float:
        """The largest imbalance of energy, relative to the largest energy that changed its form."""
        if not len(self.t) or not self.v.size:
            return 0.0
        return float(np.max(self.balance_errors()))

    def balance_errors(self) -> Floats:
        """The same for each trajectory of a batch."""
        kinetic, potential = self._own_energy()
        stored = self.stored_in_forces()
        held = potential if stored is None else potential + stored
        exchanged = np.maximum(np.maximum(np.ptp(held, axis=0), np.max(kinetic, axis=0)), 1e-300)
        return np.asarray(np.abs(self._balance(kinetic, potential)).max(axis=0) / exchanged)
