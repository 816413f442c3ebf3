"""What was measured, and what a model makes of it: forces, a motion, or points of bodies that a camera has followed."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping
from typing import Any

import numpy as np

from anyjoint.errors import InputError
from anyjoint.forces.program import trace_forces
from anyjoint.frozen import frozen
from anyjoint.joints import Joint
from anyjoint.model import Model
from anyjoint.model.arguments import finite
from anyjoint.scalar import is_real
from anyjoint.scalar.array import Floats
from anyjoint.simulate.run_problem import Q0, V0
from anyjoint.simulate.trajectory import Trajectory

from .page import Runs
from .setting import START, Setting, run_options, start_of
from .unknowns import Unknown, plain


class AsTheyAre:
    """Measurements that are compared with what a model makes of them as they are."""

    measured: Floats

    def beside(self, _: Floats) -> Floats:
        return self.measured


@frozen
class Forces(AsTheyAre):
    """States with the forces that went with them: linear in most parameters, and no run is needed."""

    model: Model
    rows: tuple[Floats, Floats, Floats]
    measured: Floats
    t: Floats | None = None
    runs = None

    @property
    def setting(self) -> Setting:
        """There are no runs."""
        return Setting(self.model, {})

    def begin(self, _: str) -> Unknown | None:
        """There is no run that would begin somewhere."""
        return None

    def predicted(self, values: Mapping[str, Any]) -> tuple[None, Floats]:
        self.setting.set(values)
        return None, np.asarray(self.model.inverse_dynamics(*self.rows))

    def slope(self, _: object, direction: Mapping[str, Any]) -> Floats:
        return np.asarray(self.model.jvp("inverse_dynamics", self.rows, direction)[1])


@frozen
class Motion:
    """A motion that a run from the same start should follow."""

    setting: Setting
    start: tuple[Floats, Floats]
    measured: Floats
    t: Floats

    def begin(self, name: str) -> Unknown | None:
        """Where the run begins as an unknown, if that is what the name means."""
        if name not in START:
            return None
        model, (q, v) = self.setting.model, self.start
        if model.mechanism.constraints or not (name == V0 or model.rates_are_velocities):
            why = "constraints" if model.mechanism.constraints else "coordinates that are not free, as quaternions"
            said = f"identify: {name!r}, but {model.mechanism.name!r} has {why}"
            raise InputError(f"{said}; other values would leave them")
        return plain(name, q if name == Q0 else v, None)

    def beside(self, fitted: Floats) -> Floats:
        """The measured motion by the coordinates that are nearest to those of a run, where several are the same."""
        made = self.measured.copy()
        for body in self.setting.model.mechanism.bodies:
            if body.joint.nq:
                pairs = zip(self.measured[:, body.q].tolist(), fitted[:, body.q].tolist(), strict=True)
                made[:, body.q] = [body.joint.nearest(*pair) for pair in pairs]
        return made

    def predicted(self, values: Mapping[str, Any]) -> tuple[Trajectory, Floats]:
        begin = [values.get(name, given) for name, given in zip(START, self.start, strict=True)]
        run = self.setting.model.simulate(*begin, gradient=True, **self.setting.set(values))
        if not run.status.ok:
            raise InputError(f"identify: a run with trial parameters did not reach its end: {run.status.reason}")
        return run, unwound(self.setting.model, run.t, run.q, run.v)

    def runs(self, every: Iterable[Mapping[str, Any]]) -> Generator[Trajectory, None, None]:
        """Runs with such values; the model has them until the next one is asked for, and then is what it was."""
        before: dict[str, Any] = {}
        try:
            for values in every:
                before = before or self.setting.present(values)
                yield self.predicted(values)[0]
        finally:
            self.setting.set(before)

    def slope(self, run: Trajectory, direction: Mapping[str, Any]) -> Floats:
        return np.asarray(run.tangent(direction, raw=True)[0])


@frozen
class Markers(AsTheyAre):
    """Points of bodies that a camera has followed."""

    motion: Motion
    bodies: tuple[int, ...]
    points: Floats  # (markers, 4), in the bodies' frames
    measured: Floats  # (samples, 3 markers)

    @property
    def t(self) -> Floats:
        return self.motion.t

    def begin(self, name: str) -> Unknown | None:
        return self.motion.begin(name)

    @property
    def runs(self) -> Runs:
        return self.motion.runs

    @property
    def setting(self) -> Setting:
        return self.motion.setting

    def predicted(self, values: Mapping[str, Any]) -> tuple[Trajectory, Floats]:
        run, _ = self.motion.predicted(values)
        return run, self._seen(np.asarray(self.setting.model.body_poses(run.q)))

    def slope(self, run: Trajectory, direction: Mapping[str, Any]) -> Floats:
        way = {"q": self.motion.slope(run, direction), **self.setting.parameters(direction)}
        _, rates = self.setting.model.jvp("body_poses", (run.q,), way, raw=True)
        return self._seen(np.asarray(rates))

    def _seen(self, poses: Floats) -> Floats:
        at = np.einsum("smij,mj->smi", poses[:, list(self.bodies)], self.points)[..., :3]
        return np.asarray(at.reshape(len(poses), -1))


Measured = Forces | Motion | Markers


def measurements(model: Model, data: Any, options: Mapping[str, Any] | None) -> Measured:
    """What is measured, by the kind of the data."""
    if isinstance(data, Trajectory):
        return _motion(model, data.t, data.q, data.v, options)
    if isinstance(data, Mapping) and "markers" in data:
        return _markers(model, data, options)
    if isinstance(data, Mapping) and set(data) == {"t", "q", "v"}:
        t, q, v = _times(data["t"]), *(finite(f"identify: {name}", data[name]) for name in ("q", "v"))
        for name, given, n in (("q", q, model.nq), ("v", v, model.nv)):
            if given.shape != (t.size, n):
                raise InputError(f"identify: {name} has shape {given.shape}; expected ({t.size}, {n}), a row per time")
        return _motion(model, t, q, v, options)
    if options:
        raise InputError(f"identify: simulate={options!r}, but states with their forces need no run; leave it out")
    return _forces(model, data)


def _times(given: Any) -> Floats:
    """When something was measured."""
    t = np.atleast_1d(finite("identify: t", given))
    if t.ndim > 1:
        raise InputError(f"identify: t has shape {t.shape}; expected one row of times")
    return t


def _markers(model: Model, data: Mapping[str, Any], options: Mapping[str, Any] | None) -> Markers:
    if "t" not in data or not isinstance(data["markers"], Mapping) or not data["markers"]:
        raise InputError('identify: markers come with times, {"t": ..., "markers": {("shin", (0.4, 0, 0)): positions}}')
    for name in set(data) - {"t", "markers", "q0", "v0"}:
        raise InputError(f"identify: data has {name!r}; beside t and markers, expected q0 and v0, where the run begins")
    t, seen = _times(data["t"]), dict(data["markers"])
    q0, v0 = start_of(model, "identify", data.get("q0"), data.get("v0"))
    for key, positions in seen.items():
        if not isinstance(key, tuple) or len(key) != 2:
            raise InputError(f"identify: marker {key!r}; expected a body and a point of it, ('shin', (0.4, 0, 0))")
        finite(f"identify: marker {key!r}", key[1], (3,))
        finite(f"identify: marker {key!r}", positions, (len(t), 3))
    rows = np.tile(q0, (len(t), 1))
    motion = _motion(model, t, rows, np.tile(v0, (len(t), 1)), options)
    bodies = tuple(model.body_index(body) for body, _ in seen)
    points = np.array([[*point, 1.0] for _, point in seen], dtype=float)
    measured = np.hstack([np.asarray(positions, dtype=float) for positions in seen.values()])
    return Markers(motion, bodies, points, measured)


def _forces(model: Model, data: Any) -> Forces:
    if not isinstance(data, Mapping) or set(data) != {"q", "v", "a", "tau"}:
        kinds = "rows {'q', 'v', 'a', 'tau'}, a motion {'t', 'q', 'v'}, or markers {'t', 'markers'}"
        held = f"has {', '.join(map(str, data)) or 'nothing'}" if isinstance(data, Mapping) else ""
        given = held or f"is a {type(data).__name__}"
        raise InputError(f"identify: data {given}; expected a Trajectory, or by name {kinds}")
    rows = {name: finite(f"identify: {name}", data[name]) for name in ("q", "v", "a", "tau")}
    for name, row in rows.items():
        n = model.nq if name == "q" else model.nv
        if row.ndim != 2 or row.shape != (len(rows["q"]), n) or not row.size:
            raise InputError(f"identify: {name} has shape {row.shape}; expected finite numbers (states, {n})")
    return Forces(model, (rows["q"], rows["v"], rows["a"]), rows["tau"])


def _motion(model: Model, t: Floats, q: Floats, v: Floats, options: Mapping[str, Any] | None) -> Motion:
    if len(t) < 2:
        raise InputError("identify: the measured motion has one sample; expected two and more")
    if q.ndim != 2 or q.shape[1] != model.nq:
        raise InputError(f"identify: the measured motion has q of shape {q.shape}; expected (samples, {model.nq})")
    q, v = finite("identify: q of the measured motion", q), finite("identify: v of the measured motion", v)
    spacing = np.diff(t)
    if not spacing[0] > 0 or np.ptp(spacing) > 1e-6 * spacing[0]:
        raise InputError("identify: samples of the measured motion are not equally far apart in time; resample it")
    chosen = run_options("identify", options, ("q0", "v0", "duration", "save_every"))
    dt: Any = chosen.pop("dt", spacing[0])
    if not is_real(dt) or not dt > 0:
        raise InputError(f"identify: dt={dt!r}; expected a positive number of seconds")
    steps = max(1, round(float(spacing[0]) / float(dt)))
    acting: Any = chosen.get("forces", ())
    timed = model.mechanism.timed or "tau" in chosen or trace_forces(model.mechanism, acting).functions
    if t[0] and timed:
        raise InputError(f"identify: times begin at {t[0]:g} s, runs at 0, and their inputs know the time; shift t")
    chosen |= {"duration": float(t[-1] - t[0]), "dt": float(spacing[0]) / steps, "save_every": steps}
    return Motion(Setting(model, chosen), (q[0], v[0]), unwound(model, t, q, v), t)


def unwound(model: Model, t: Floats, q: Floats, v: Floats) -> Floats:
    """Coordinates over time without the jumps by whole periods that sensors make, and charts that wrap.

    Between two samples a coordinate goes by what is nearest to its mean velocity.
    """
    made = q.copy()
    for body in model.mechanism.bodies:
        joint, own = body.joint, made[:, body.q]
        speed = np.zeros((len(t), joint.nq))
        for k in range(joint.nq):
            if (rate := joint.velocity_of(k)) is not None:
                speed[:, k] = v[:, body.v.start + rate]
        way = 0.5 * (speed[1:] + speed[:-1]) * np.diff(t)[:, None]
        periods = [c.period or 0.0 for c in joint.coordinates]
        if any(periods) and type(joint).nearest is not Joint.nearest:  # of one set of angles, before turns are counted
            for i in range(1, len(t)):
                own[i] = joint.nearest(own[i].tolist(), (own[i - 1] + way[i - 1]).tolist())
        for k, period in enumerate(periods):
            if period:
                lack = np.diff(own[:, k]) - way[:, k]
                own[1:, k] -= period * np.cumsum(np.round(lack / period))
    return made
