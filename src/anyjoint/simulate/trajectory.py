"""A simulated motion: times, states, and what can be done with them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from anyjoint.errors import AnyjointError, InputError
from anyjoint.forces.limits import limited_coordinates
from anyjoint.model.parameter_rows import ParameterRows
from anyjoint.optional import optional
from anyjoint.options import named_options
from anyjoint.scalar.array import Floats
from anyjoint.stepper import STEPPERS
from anyjoint.travel import Parcel

from . import trajectory_file
from .drive import Drive
from .log import Log
from .own_model import as_it_was, log_of
from .samples import chart_changes, flat_rows, hermite, integral
from .status import Status
from .touching import rubbing
from .tracks import read_tracks

if TYPE_CHECKING:
    from anyjoint.model import Model

RESISTING = {name for name, stepper in STEPPERS.items() if stepper.resists}
MOST_STATES = 8192  # that are looked at together where each has parameters of its own


@dataclass(frozen=True)
class Crossing:
    """An event that happened: its name, when, and the state there."""

    event: str
    time: float
    q: Floats
    v: Floats


@dataclass(eq=False)
class Trajectory:
    """A motion: states q and v (samples, n), or (samples, batch, n) for a batch, at the times t.

    >>> traj = model.simulate([0.1], [0.0], duration=2.0)
    >>> traj.q.shape, traj.status.ok
    ((2001, 1), True)
    >>> kinetic, potential = traj.energy()
    >>> bool(abs(kinetic + potential - potential[0]).max() < 1e-9)
    True
    >>> path = traj.save("run.npz")  # `Trajectory.load` reads it; .csv is a table for other programs
    >>> page = traj.to_html("run.html")
    """

    t: Floats
    q: Floats
    v: Floats
    status: Status
    model: Any = None
    method: str = ""
    steps: int = 0
    events: list[Crossing] = field(default_factory=list)
    drive: Drive | None = None
    done: Floats | None = None  # work up to every sample, where it was summed up in the run
    stored: Floats | None = None  # energy in springs among the forces of a run that was loaded from a file
    parameters: ParameterRows | None = None  # of each trajectory of a batch
    run: Any = None  # the request, if the run can be differentiated
    contacts: dict[str, Any] = field(default_factory=dict)  # points, normals and forces of contacts, by name
    modes: list[Any] = field(default_factory=list)  # changes of contacts: (time, body, "sliding -> flight", reason)
    was: Log | None = field(init=False, repr=False, default=None)  # the parameters of the model in the run

    def __post_init__(self) -> None:
        self.was = log_of(self.model)

    # -- asking ----------------------------------------------------------------------------------------------

    def gradient(self, dq: Any = None, dv: Any = None, wrt: Sequence[str] = ("q0", "v0"), raw: bool = False) -> Any:
        """The gradient of a number that depends on samples, from its derivatives by them, back through all steps.

        `dq` and `dv` are the derivatives by the last state, (nv,), or by all samples, (samples, nv). `wrt` are "q0",
        "v0", "tau", "duration" and names of parameters. Derivatives by coordinates are by changes as velocities see
        them, or with raw=True by coordinates themselves. That by the duration is of as many steps, all stretched.
        The run must be one of simulate(..., gradient=True).

        >>> traj = model.simulate([0.1], [0.0], duration=1.0, gradient=True)
        >>> slope = traj.gradient(dq=[1.0], wrt=("q0", "bob/mass"))  # of the last angle
        >>> bool(abs(slope["q0"][0] + 0.9999) < 0.01), bool(abs(slope["bob/mass"]) < 1e-9)
        (True, True)
        """
        from .gradient import gradient

        return gradient(self, dq, dv, wrt, raw)

    def tangent(self, direction: Mapping[str, Any], raw: bool = False) -> tuple[Floats, Floats]:
        """Rates (dq, dv) of all samples for small changes of "q0", "v0", "tau", "duration", parameters, by name."""
        from .run_tangent import tangent

        return tangent(self, direction, raw)

    def energy(self) -> tuple[Floats, Floats]:
        """Kinetic and potential energy at every sample; springs and stiffness count as potential."""
        kinetic, potential = self._own_energy()
        stored = self.stored_in_forces()
        return kinetic, potential if stored is None else potential + stored

    def _own_energy(self) -> tuple[Floats, Floats]:
        """Energy of the mechanism, soft constraints included."""
        model = self._model()
        kinetic, potential = self._over(model.energy)
        if not model.mechanism.constraints:
            return kinetic, potential
        t = self._times() if model.mechanism.timed else None
        stored = model.stored_in_constraints(flat_rows(self.q), t, self._rows())
        return kinetic, potential + np.reshape(stored, np.shape(potential))

    def _times(self) -> Floats:
        """Times of all samples in the order of `flat_rows`."""
        return np.repeat(self.t, math.prod(self.q.shape[1:-1]))[:, None].astype(self._model().dtype)

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
        return any(c.time or not c.holonomic for c in self._model().mechanism.constraints)

    def _work_of_constraints(self) -> Floats:
        """Of those that move; under contacts, and stops that are a part of steps, their forces are not known."""
        if self.contacts or self._resisted():
            return np.zeros(self.v.shape[:-1])
        tau = np.zeros(self.v.shape) if self.drive is None else self._applied(self.drive)
        model, rows = self._model(), [flat_rows(x) for x in (self.q, self.v, tau)]
        t = self._times() if model.mechanism.timed else None
        power = model.constraint_power(*rows, t=t, parameters=self._rows())
        return integral(self.t, power.reshape(self.v.shape[:-1]))

    def _work_of_forces(self) -> Floats:
        if self.done is not None:
            return self.done
        model = self._model()
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
        for _, at, rate, (low, high) in limited_coordinates(self._model().mechanism):
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

    def _applied(self, drive: Drive) -> Floats:
        """Inputs and forces at every sample; functions of the state are asked again."""
        if self.q.ndim == 2:
            return drive.torques(self.t, self.q, self.v)
        members = range(self.q.shape[1])
        return np.stack([drive.torques(self.t, self.q[:, k], self.v[:, k], k) for k in members], axis=1)

    def momentum(self) -> Floats:
        """Total momentum in the world about its origin at every sample: angular, then linear."""
        model = self._model()
        return np.asarray(self._over(lambda q, v, **own: (model.momentum(q, v, **own),))[0])

    def _over(self, quantity: Any) -> tuple[Any, ...]:
        """A quantity of the model over all samples, whatever their shape."""
        shape = self.q.shape[:-1]
        if self.parameters is None:
            flat = quantity(flat_rows(self.q), flat_rows(self.v), parameters=None)
            return tuple(np.asarray(x).reshape(*shape, *np.shape(x)[1:]) for x in flat)
        some = max(1, MOST_STATES // self.parameters.count)  # samples at once: each state has a row of numbers
        parts = []
        for k in range(0, max(len(self.t), 1), some):
            q, v = flat_rows(self.q[k : k + some]), flat_rows(self.v[k : k + some])
            rows = self.parameters.tiled(len(self.q[k : k + some]))
            parts.append(quantity(q, v, parameters=rows))
        return tuple(np.concatenate(x).reshape(*shape, *np.shape(x[0])[1:]) for x in zip(*parts, strict=True))

    def _rows(self) -> ParameterRows | None:
        """Parameters of all samples in the order of `flat_rows`."""
        if self.parameters is None:
            return None
        return self.parameters.tiled(len(self.t))

    def _model(self) -> Any:
        if self.model is None:
            raise InputError("this trajectory was loaded without its model; give Trajectory.load(path, model=...)")
        if self.was is not None:
            model = as_it_was(self.model, self.was)
            if model is not self.model and self.parameters is not None:
                self.parameters = ParameterRows(model.mechanism, self.parameters.columns)
            self.model = model
        return self.model

    def remember(self) -> None:
        """Make `model` one with the parameters of the run, if those of the model have changed since."""
        if self.model is not None:
            self._model()

    def accelerations(self) -> Floats:
        """dv/dt at every sample, by the dynamics and inputs of the run; by differences where they are not known.

        Nor are they under contacts, nor where stops and dry friction are a part of the steps, which alone know them.
        """
        if self.model is None or self.drive is None or self.contacts or self._resisted():
            return np.gradient(self.v, self.t, axis=0, edge_order=2 if len(self.t) > 2 else 1)
        rows = (self.q, self.v, self._applied(self.drive))
        flat = self._model().forward_dynamics(*(flat_rows(x) for x in rows), self._times(), parameters=self._rows())
        return np.asarray(flat).reshape(self.v.shape)

    def _resisted(self) -> bool:
        """Whether stops or dry friction were a part of the steps."""
        mechanism = self._model().mechanism
        resists = rubbing(mechanism) or any(True for _ in limited_coordinates(mechanism))
        return self.method in RESISTING and bool(resists)

    def resample(self, times: Sequence[float] | Floats) -> Trajectory:
        """The motion at other times inside the run, by cubic Hermite interpolation."""
        at = np.asarray(times, dtype=float)
        if at.ndim != 1 or not np.isfinite(at).all() or (len(at) and (at.min() < self.t[0] or at.max() > self.t[-1])):
            raise InputError(f"resample: times must be finite and within {self.t[0]:g} and {self.t[-1]:g}, in one row")
        if len(self.t) < 2:
            raise InputError("resample: the trajectory has a single sample; simulate for longer")
        k = np.clip(np.searchsorted(self.t, at, side="right") - 1, 0, len(self.t) - 2)
        rates, a = self.coordinate_rates(), self.accelerations()
        q, v = hermite(self.t, self.q, rates, k, at), hermite(self.t, self.v, a, k, at)
        jumps = chart_changes(self.t, self.q, rates)
        if jumps.any():
            q, v = self._beside_jumps(q, v, rates, a, k, at, jumps)
        met = np.searchsorted(self.t, at, side="left")  # forces are those of the step that ends at a sample
        contacts = {name: track.take(met) for name, track in self.contacts.items()}
        return Trajectory(at, q, v, self.status, self.model, self.method, self.steps, list(self.events), self.drive,
                          parameters=self.parameters, contacts=contacts)  # fmt: skip

    def _beside_jumps(
        self, q: Floats, v: Floats, rates: Floats, a: Floats, k: Floats, at: Floats, jumps: Floats
    ) -> tuple[Floats, Floats]:
        """Where the chart changes between two samples, go on from the nearer one."""
        near = k + (at - self.t[k] > self.t[k + 1] - at)
        by = (at - self.t[near]).reshape(-1, *(1 for _ in self.q.shape[1:]))
        bent = a[near] if rates is self.v else 0.0
        q = np.where(jumps[k][..., None], self.q[near] + by * (rates[near] + 0.5 * by * bent), q)
        return q, np.where(jumps[k][..., None], self.v[near] + by * a[near], v)

    def coordinate_rates(self) -> Floats:
        """dq/dt at every sample."""
        if self.model is None:
            return self.v if self.q.shape == self.v.shape else np.gradient(self.q, self.t, axis=0)
        model = self._model()
        if model.rates_are_velocities:
            return self.v
        rates = model.coordinate_rates(flat_rows(self.q), flat_rows(self.v), parameters=self._rows())
        return np.asarray(rates).reshape(self.q.shape)

    # -- files -----------------------------------------------------------------------------------------------

    def save(self, path: str | Path) -> Path:
        """Write everything as .npz, which `load` reads, or t, coordinates and velocities as a .csv table."""
        return trajectory_file.write(self, path)

    @classmethod
    def load(cls, path: str | Path, model: Any = None) -> Trajectory:
        """Read what `save` wrote as .npz; with a model, energies and pages are there again."""
        header, arrays = trajectory_file.read(path)
        t, q, v = arrays["t"], arrays["q"], arrays["v"]
        more: dict[str, Any] = {}
        if "contacts" in header:
            from .contact import facts_of

            cls, more, model = facts_of(header, arrays, model)
        if "limits" in header:
            from . import impact

            cls, more = impact.ImpactTrajectory, impact.facts_of(header, arrays)
        if "touching" in header:
            more = {"contacts": read_tracks(header["touching"], arrays)}
        if model is not None and (q.shape[-1] != model.nq or v.shape[-1] != model.nv):
            raise InputError(
                f"{path} has {q.shape[-1]} coordinates, the model has {model.nq}; load it with its own model"
            )
        events = [Crossing(e["event"], e["time"], np.array(e["q"]), np.array(e["v"])) for e in header["events"]]
        rows = trajectory_file.read_rows(header.get("parameters"), model)
        facts = Status(**header["status"]), model, header["method"], header["steps"], events
        more |= {"done": arrays.get("work"), "stored": arrays.get("stored"), "parameters": rows}
        return cls(t, q, v, *facts, **more)

    def own_facts(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """What a kind of trajectory of its own adds to a file: to the header, and arrays."""
        if not self.contacts:
            return {}, {}
        tracks = self.contacts.values()
        header = {"touching": {name: track.points.shape[-2] for name, track in self.contacts.items()}}
        arrays = ("points", "normals", "forces")
        return header, {what: np.concatenate([getattr(x, what) for x in tracks], axis=-2) for what in arrays}

    def table(self) -> tuple[list[str], Floats]:
        """Names of the columns, and a row of time, coordinates and velocities per sample."""
        single, bodies = self._single("table"), self._model().mechanism.bodies
        positions = [name for body in bodies for name in body.coordinate_names]
        speeds = [f"{body.name}/{name}'" for body in bodies for name in body.joint.velocity_names]
        return ["t", *positions, *speeds], np.column_stack([single.t, single.q, single.v])

    # -- showing ---------------------------------------------------------------------------------------------

    @named_options
    def to_html(
        self, path: str | Path, *, title: str | None = None, description: str = "", frame_rate: float = 60.0,
        theme: str | None = None, lite: bool | None = None, autoplay: bool | None = None,
    ) -> Path:  # fmt: skip
        """Write one page that plays the motion, without any network.

        `theme` is "light" or "dark" (default: as the system), `lite` leaves effects out that slow graphics cannot draw,
        `autoplay=False` waits for the play button; at most `frame_rate` samples per second are kept.
        """
        from anyjoint.view import trajectory_page

        return trajectory_page(
            self._single("to_html"), path, title=title, description=description, frame_rate=frame_rate,
            theme=theme, lite=lite, autoplay=autoplay,
        )  # fmt: skip

    def plot(self, path: str | Path | None = None) -> Any:
        """Energy and coordinates over time as a matplotlib figure, which notebooks show; also written to `path`."""
        from anyjoint.view.plots import overview

        return overview(self._single("plot"), path)

    def _single(self, what: str) -> Trajectory:
        if self.q.ndim == 3:
            raise InputError(
                f"{what}: this is a batch of {self.q.shape[1]} trajectories; choose one, such as traj.member(0)"
            )
        self.remember()  # pages and plots ask the model
        return self

    def member(self, index: int) -> Trajectory:
        """One trajectory of a batch."""
        if self.q.ndim != 3:
            raise InputError("member: this is a single trajectory, not a batch")
        if not -self.q.shape[1] <= index < self.q.shape[1]:
            raise InputError(f"member({index}): the batch has {self.q.shape[1]} trajectories")
        q, v = self.q[:, index], self.v[:, index]
        done = None if self.done is None else self.done[:, index]
        rows = self.parameters.take([index]) if self.parameters else None
        contacts = {name: track.member(index) for name, track in self.contacts.items()}
        drive = None if self.drive is None else self.drive.member(index % self.q.shape[1])
        self.remember()
        return Trajectory(self.t, q, v, self.status, self.model, self.method, self.steps, [], drive, done,
                          parameters=rows, contacts=contacts)  # fmt: skip

    def to_pandas(self) -> Any:
        """A table of times, coordinates and velocities (needs pandas)."""
        names, table = self.table()
        return optional("pandas").DataFrame(table, columns=names)

    def to_parquet(self, path: str | Path) -> Path:
        """Write the table as a parquet file (needs pandas and pyarrow)."""
        optional("pyarrow")
        target = Path(path)
        try:
            self.to_pandas().to_parquet(target)
        except OSError as error:
            raise AnyjointError(f"cannot write {target}: {error.strerror or error}; choose another place") from error
        return target

    def _repr_html_(self) -> str | None:
        """The page itself, inside a notebook; nothing to see of a batch, or without a model."""
        if self.model is None or self.q.ndim == 3:
            return None
        from anyjoint.view import notebook_html, trajectory_scene

        return notebook_html(trajectory_scene(self._single("show")))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled and copied as its model, and the rest, which may hold functions of the user's own."""
        rest = {name: value for name, value in vars(self).items() if name not in ("model", "parameters", "was")}
        self.remember()
        return _again, (type(self), self.model, Parcel(rest), self.parameters.columns if self.parameters else None)

    def __repr__(self) -> str:
        name = getattr(getattr(self.model, "mechanism", None), "name", "?")
        batch = f", batch of {self.q.shape[1]}" if self.q.ndim == 3 else ""
        end = f"{self.t[-1]:g} s" if len(self.t) else "no time"
        return f"<Trajectory of {name!r}: {len(self.t)} samples over {end}{batch}; {self.status}>"


def _again(kind: type[Trajectory], model: Model, rest: Parcel, rows: Mapping[str, Any] | None) -> Trajectory:
    return kind(model=model, **rest.content, parameters=model.parameter_rows(rows) if rows else None)


def given(traj: Trajectory) -> dict[str, Any]:
    """What a trajectory was made of, by name."""
    return {part.name: getattr(traj, part.name) for part in fields(traj) if part.init}
