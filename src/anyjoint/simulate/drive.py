"""The inputs of a run: generalized forces that are constant, sampled over time, or a Python function of the state."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable
from dataclasses import field, replace
from operator import itemgetter
from typing import Any, NoReturn

import numpy as np

from anyjoint.errors import InputError
from anyjoint.forces.program import ForceProgram
from anyjoint.forces.signal import BadInput, signal_at
from anyjoint.frozen import frozen
from anyjoint.scalar import reals
from anyjoint.scalar.array import ArrayLike, Floats

CLOSE = 1e-4  # of a step: how far before and behind a time inputs are looked at for their slope
Callback = Callable[[float, Floats, Floats], ArrayLike]
Torques = ArrayLike | tuple[ArrayLike, ArrayLike] | Callback | None  # constant, samples, (times, values), a function


@frozen
class Drive:
    """tau over time; `values` are one row, one row per state of a batch, or samples at `times`."""

    values: Floats
    times: Floats | None = None
    callback: Callback | None = None
    forces: ForceProgram | None = None
    stretches: bool = False  # whether samples are spread over the duration, however long that is
    held: list[tuple[float, Floats]] = field(default_factory=list, init=False, repr=False)  # answers and when

    @property
    def functions(self) -> list[Callable[[float], float]]:
        """Functions of time that forces depend on."""
        return self.forces.functions if self.forces else []

    @property
    def varying(self) -> bool:
        """Whether inputs change with time."""
        return self.times is not None or bool(self.functions)

    def member(self, index: int) -> Drive:
        """The inputs of one trajectory of a batch."""
        shared = self.times is not None or len(self.values) == 1
        return self if shared else replace(self, values=self.values[index : index + 1])

    def rows(self, times: Floats) -> Floats:
        """The drive row (tau, then the signals of forces) at each of the times."""
        tau = self.sampled(times)
        signals = [[signal_at(f, float(t)) for t in times] for f in self.functions]
        return np.ascontiguousarray(np.column_stack([tau, *signals]))

    def sampled(self, times: Floats) -> Floats:
        """tau at the times, linear between samples."""
        if self.times is None:
            return np.repeat(self.values[:1], len(times), axis=0)
        columns = [np.interp(times, self.times, column) for column in self.values.T]
        return np.stack(columns, axis=-1) if columns else np.zeros((len(times), 0))

    def slopes(self, times: Floats, steps: Floats) -> Floats:
        """How inputs at each of the times, in steps of these lengths, change in time: by a little before and behind."""
        close = CLOSE * steps
        return np.asarray((self.rows(times + close) - self.rows(times - close)) / (2 * np.reshape(close, (-1, 1))))

    def spread(self, times: Floats, bars: Floats) -> Floats:
        """The transpose of `sampled`: numbers at times, (..., nv), added up onto the samples of the inputs."""
        made = np.zeros_like(self.values)
        if self.times is None:
            made += bars.reshape(-1, bars.shape[-1]).sum(axis=0)
            return made[0] if len(made) == 1 else made
        last = len(self.times) - 1
        i = np.clip(np.searchsorted(self.times, times, side="right") - 1, 0, max(last - 1, 0))
        j = np.minimum(i + 1, last)
        length = np.where(j > i, self.times[j] - self.times[i], 1.0)
        share = np.clip((times - self.times[i]) / length, 0.0, 1.0)[..., None]
        np.add.at(made, i, (1 - share) * bars)
        np.add.at(made, j, share * bars)
        return made

    def commanded(self, t: float, q: Floats, v: Floats) -> Floats:
        """What the user's function asks for; it is not asked where a motion has blown up, which is not its fault."""
        assert self.callback is not None
        if not (np.isfinite(q).all() and np.isfinite(v).all()):
            return np.full(len(v), np.nan)
        return checked(self.callback(t, read_only(q), read_only(v)), len(v), t)

    def given(self, t: float, q: Floats, v: Floats, member: int = 0) -> Floats:
        """tau at one state, without forces; of a sampled controller what it has said last."""
        if self.held:
            said = bisect(self.held, t * (1 + 1e-12), key=itemgetter(0))
            return self.held[max(said, 1) - 1][1]
        if self.callback is not None:
            return self.commanded(t, q, v)
        if self.times is not None:
            return np.asarray(self.sampled(np.array([t]))[0])
        return np.asarray(self.values[member if len(self.values) > 1 else 0])

    def torque(self, t: float, q: Floats, v: Floats, member: int = 0) -> Floats:
        """All generalized forces at one state."""
        tau = self.given(t, q, v, member)
        return tau + self.forces.at_state(t, q, v) if self.forces and self.forces.torques else tau

    def torques(self, t: Floats, q: Floats, v: Floats, member: int = 0) -> Floats:
        """All generalized forces at many states (samples, n) of one trajectory."""
        if self.callback is not None or self.functions:
            return np.array([self.torque(float(x), y, w, member) for x, y, w in zip(t, q, v, strict=True)])
        if self.times is not None:
            tau = self.sampled(t)
        else:
            tau = np.repeat(self.values[member if len(self.values) > 1 else 0][None], len(t), axis=0)
        return tau + self.forces.torque(0.0, q, v) if self.forces and self.forces.torques else tau


def checked(tau: ArrayLike, nv: int, t: float) -> Floats:
    """What a callback has returned, as numbers."""
    try:
        found = tau if isinstance(tau, np.ndarray) and tau.dtype == float else reals(tau)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"tau(t, q, v) returned {tau!r} at t = {t:g}; expected {nv} numbers, one force per velocity"
        ) from error
    if found.shape != (nv,):
        raise InputError(
            f"tau(t, q, v) returned shape {found.shape} at t = {t:g}; expected ({nv},), one force per velocity"
        )
    if not np.isfinite(found).all():
        at = int(np.argmin(np.isfinite(found)))
        raise BadInput(f"tau(t, q, v) returned {found[at]} for velocity {at} at t = {t:.6g} s", t)
    return found


def read_only(x: Floats) -> Floats:
    """The same numbers, which nobody can change by mistake: a controller sees the state itself."""
    view = x.view()
    view.flags.writeable = False
    return view


def make_drive(tau: Torques, nv: int, batch: int | None, duration: float, forces: ForceProgram) -> Drive:
    """The inputs that a user gave as `tau`; batch is None for a single trajectory."""
    if tau is None:
        return Drive(np.zeros((1, nv)), forces=forces)
    if callable(tau):
        if batch is not None:
            raise InputError(
                "tau: a Python function drives one trajectory; simulate the states of the batch one by one"
            )
        return Drive(np.zeros((1, nv)), callback=tau, forces=forces)
    if isinstance(tau, tuple) and len(tau) == 2 and np.ndim(tau[0]) == 1 and np.ndim(tau[1]) == 2:
        if not _fits(tau[1], nv):
            _refuse(tau, nv)
        return Drive(_numbers(tau[1]), _times(tau[0], np.shape(tau[1])[0]), forces=forces)
    values = _numbers(tau)
    if values.shape == (nv,):
        return Drive(values[None, :].copy(), forces=forces)
    if batch is not None and values.shape == (batch, nv):
        return Drive(np.ascontiguousarray(values), forces=forces)
    if batch is None and values.ndim == 2 and values.shape[1] == nv and len(values) > 1:
        return Drive(values, np.linspace(0.0, duration, len(values)), forces=forces, stretches=True)
    _refuse(tau, nv)


def _fits(values: ArrayLike, nv: int) -> bool:
    return np.ndim(values) == 2 and np.shape(values)[1] == nv and np.shape(values)[0] > 0


def _refuse(tau: Any, nv: int) -> NoReturn:
    shape = np.shape(tau) if not isinstance(tau, tuple) else tuple(np.shape(x) for x in tau)
    raise InputError(
        f"tau has shape {shape}; expected ({nv},) for a constant, (batch, {nv}) for a batch, (samples, {nv}) over"
        f" the duration, (times, values) with values (samples, {nv}), or a function tau(t, q, v)"
    )


def _numbers(x: Any) -> Floats:
    try:
        found = reals(x)
    except (TypeError, ValueError) as error:
        raise InputError(f"tau: {x!r} is not an array of numbers") from error
    if not np.isfinite(found).all():
        raise InputError("tau holds NaN or infinity; give finite numbers")
    return found


def _times(x: ArrayLike, samples: int) -> Floats:
    found = _numbers(x)
    if found.shape != (samples,) or (np.diff(found) <= 0).any():
        raise InputError(f"tau: times must be {samples} increasing numbers, one for each row of the values")
    return found
