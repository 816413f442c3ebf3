"""A simulated motion: times, states, and what can be done with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from anyjoint.errors import AnyjointError, InputError
from anyjoint.frozen import frozen
from anyjoint.model.arguments import finite
from anyjoint.model.check_model import check_model
from anyjoint.model.parameter_rows import ParameterRows
from anyjoint.optional import optional
from anyjoint.options import named_options
from anyjoint.scalar.array import ArrayLike, Floats
from anyjoint.travel import Parcel

from . import trajectory_file
from .balance import Balance
from .drive import Drive
from .log import Log
from .own_model import log_of
from .samples import chart_changes, flat_rows, hermite
from .status import Status
from .tracks import ContactForces, read_tracks

if TYPE_CHECKING:
    from anyjoint.model import Model

    from .gradient import Gradient
    from .request import Request


@frozen
class Crossing:
    """An event that happened: its name, when, and the state there."""

    event: str
    time: float
    q: Floats
    v: Floats


@dataclass(eq=False)
class Trajectory(Balance):
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
    model: Model | None = None
    method: str = ""
    steps: int = 0
    events: list[Crossing] = field(default_factory=list)
    drive: Drive | None = None
    done: Floats | None = None  # work up to every sample, where it was summed up in the run
    stored: Floats | None = None  # energy in springs among the forces of a run that was loaded from a file
    parameters: ParameterRows | None = None  # of each trajectory of a batch
    run: Request | None = None  # what was asked for, if the run can be differentiated
    contacts: dict[str, ContactForces] = field(default_factory=dict)  # by name
    modes: list[Any] = field(default_factory=list)  # changes of contacts: (time, body, "sliding -> flight", reason)
    was: Log | None = field(init=False, repr=False, default=None)  # the parameters of the model in the run

    def __post_init__(self) -> None:
        self.was = log_of(self.model)

    # -- asking ----------------------------------------------------------------------------------------------

    def gradient(
        self, dq: ArrayLike | None = None, dv: ArrayLike | None = None, wrt: Sequence[str] = ("q0", "v0"),
        raw: bool = False,
    ) -> Gradient:  # fmt: skip
        """The gradient of a number that depends on samples, from its derivatives by them, back through all steps.

        `dq` and `dv` are the derivatives by the last state, (nv,), or by all samples, (samples, nv). `wrt` are "q0",
        "v0", "tau", "duration", names of parameters, and numbers of forces ("forces/0/stiffness"). Derivatives by
        coordinates are by changes as velocities see them, or with raw=True by coordinates themselves. That by the
        duration is of as many steps, all stretched.
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

    def resample(self, times: Sequence[float] | Floats) -> Trajectory:
        """The motion at other times inside the run, by cubic Hermite interpolation."""
        at = self._inside(times)
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

    def _inside(self, times: Sequence[float] | Floats) -> Floats:
        """Times inside the run; refused where there are others, or nothing between samples."""
        at = finite("resample: times", times)
        if at.ndim != 1 or (len(at) and (at.min() < self.t[0] or at.max() > self.t[-1])):
            raise InputError(f"resample: times must be within {self.t[0]:g} and {self.t[-1]:g}, in one row")
        if not len(self.t) or self.t[0] == self.t[-1]:
            raise InputError("resample: the trajectory has a single sample; simulate for longer")
        return at

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
        model = self.own_model()
        if model.rates_are_velocities:
            return self.v
        rates = model.coordinate_rates(flat_rows(self.q), flat_rows(self.v), parameters=self._rows())
        return np.asarray(rates).reshape(self.q.shape)

    # -- files -----------------------------------------------------------------------------------------------

    def save(self, path: str | Path) -> Path:
        """Write everything as .npz, which `load` reads, or t, coordinates and velocities as a .csv table."""
        return trajectory_file.write(self, path)

    @classmethod
    def load(cls, path: str | Path, model: Model | None = None) -> Trajectory:
        """Read what `save` wrote as .npz; with a model, energies and pages are there again."""
        if model is not None:
            check_model("Trajectory.load", model)
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
        single, bodies = self._single("table"), self.own_model().mechanism.bodies
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

        self.own_model()  # without one there is nothing to draw
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
