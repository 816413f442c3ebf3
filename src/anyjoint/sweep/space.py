"""What a sweep varies, by name: parameters of the model, initial states and inputs, checked and drawn run by run."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from anyjoint.errors import AnyjointError, InputError
from anyjoint.forces.limits import limited_coordinates
from anyjoint.frozen import frozen
from anyjoint.model.change import find, value_of
from anyjoint.options import meant
from anyjoint.scalar import reals
from anyjoint.spatial import Pose

from .design import Design
from .distribution import Distribution, Grid, is_numeric, picked

if TYPE_CHECKING:
    from anyjoint.model import Model

Drawn = dict[str, Any]  # by name: values (runs, ...), or a list of poses
STATES = ("q0", "v0", "tau")
MISSES = 0.1  # runs that may be expected beyond a parameter's domain


@frozen
class Target:
    """Something that can be varied: a parameter, or the whole or one entry of q0, v0 or tau."""

    name: str
    shape: tuple[int, ...] | None  # None for a pose
    state: str = ""  # which of q0, v0, tau
    place: int | None = None  # its entry


@frozen
class Variable:
    """Targets that are drawn together, and how: by a distribution, or from rows that a user gave."""

    targets: tuple[Target, ...]
    source: Any

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of a value; several targets are entries of one."""
        return (self.targets[0].shape or ()) if len(self.targets) == 1 else (len(self.targets),)

    @property
    def dimension(self) -> int:
        """How many numbers of the unit cube it takes."""
        return self.source.dimension(self.shape) if isinstance(self.source, Distribution) else 0

    def split(self, values: Any) -> Drawn:
        """Values by the names of the targets."""
        if len(self.targets) == 1:
            return {self.targets[0].name: values}
        return {target.name: values[:, k] for k, target in enumerate(self.targets)}

    @property
    def text(self) -> str:
        """What it is, the same in every process."""
        names = ", ".join(target.name for target in self.targets)
        if isinstance(self.source, Distribution) and not is_posed(self.source):
            return f"{names}: {self.source!r}"
        rows = getattr(self.source, "options", self.source)
        numbers = np.array([x.matrix if isinstance(x, Pose) else x for x in rows], dtype=float)
        return f"{names}: {len(numbers)} rows {hashlib.sha256(numbers.tobytes()).hexdigest()}"


class Space:
    """The variables of a sweep and its design: draws the values of any range of runs."""

    def __init__(self, model: Model, given: Any, n: Any, design: str, seed: Any, limits: bool = True) -> None:
        if not isinstance(given, Mapping) or not given:
            raise InputError(
                f"sweep: {given!r} says nothing to vary; expected names with distributions, "
                "such as {'rod/mass': aj.uniform(1, 2)}"
            )
        self.model = model
        self.variables = tuple(_variable(model, names, source) for names, source in given.items())
        names = [target.name for variable in self.variables for target in variable.targets]
        _check_twice(names)
        self.names = tuple(names)
        self.n = _count(n, self.variables)
        self.points = Design(design, sum(v.dimension for v in self.variables), self.n, seed)
        self._check_domains(limits)

    @cached_property
    def targets(self) -> dict[str, Target]:
        """Targets by name."""
        return {target.name: target for variable in self.variables for target in variable.targets}

    def draw(self, first: int, last: int) -> Drawn:
        """The values of the runs from first to last, which is not among them."""
        u, at, drawn = self.points(first, last), 0, Drawn()
        block = 1  # runs for which a grid stays at one value; the first grid is the slowest
        for variable in reversed(self.variables):
            if isinstance(variable.source, Grid):
                count = len(variable.source.options)
                drawn |= variable.split(picked(variable.source.options, np.arange(first, last) // block % count))
                block *= count
        for variable in self.variables:
            if isinstance(variable.source, Distribution) and not isinstance(variable.source, Grid):
                share = u[:, at : at + variable.dimension]
                drawn |= variable.split(variable.source.values(share, variable.shape))
                at += variable.dimension
            elif not isinstance(variable.source, Grid):
                drawn |= variable.split(variable.source[first:last])
        return {name: drawn[name] for name in self.names}

    # -- checks -------------------------------------------------------------------------------------------------

    def _check_domains(self, limits: bool) -> None:
        """Refuse distributions that reach where a parameter may not be, the others being typical."""
        typical = {name: value for variable in self.variables for name, value in _typical(variable).items()}
        for variable in self.variables:
            if not isinstance(variable.source, Distribution):
                continue
            corners = variable.source.corners(min(MISSES / self.n, 0.5), variable.shape)
            rows = {name: _repeated(value, len(corners)) for name, value in typical.items()}
            rows |= variable.split(_stacked(corners))
            if self._problem(variable, rows, limits):
                for k, corner in enumerate(corners):
                    problem = self._problem(variable, {name: row[k : k + 1] for name, row in rows.items()}, limits)
                    if problem:
                        raise InputError(_left_domain(variable, corner, problem))

    def _problem(self, variable: Variable, rows: Drawn, limits: bool) -> str:
        """What is wrong with values of a variable, beside typical ones of the others; nothing if all is well."""
        if variable.targets[0].state:
            return beyond_limits(self.model, variable, rows) if limits else ""
        wanted = {name: value for name, value in rows.items() if not self.targets[name].state}
        try:
            self.model.parameter_rows(wanted)
        except AnyjointError as error:
            return str(error).removeprefix("parameters, row 0: ")
        return ""


def beyond_limits(model: Model, variable: Variable, rows: Drawn) -> str:
    """Which limits of coordinates values of q0 break, if any."""
    for target in variable.targets:
        values = np.asarray(rows[target.name]).reshape(-1, *(target.shape or (1,)))
        for name, at, _, (low, high) in limited_coordinates(model.mechanism):
            if target.state == "q0" and target.place in (None, at):
                entry = values[:, at if target.place is None else 0]
                if ((entry < low) | (entry > high)).any():
                    return f"the limits of {name} are ({low:g}, {high:g})"
    return ""


def _left_domain(variable: Variable, corner: object, problem: str) -> str:
    names = ", ".join(repr(target.name) for target in variable.targets)
    said = "a pose" if isinstance(corner, Pose) else np.array2string(np.asarray(corner), precision=4, separator=", ")
    return (
        f"sweep: the distribution of {names} leaves its domain: it reaches {said}, and {problem}. "
        "Give narrower ends, or aj.log_normal for what must be positive"
    )


def _typical(variable: Variable) -> Drawn:
    """A value in the middle, as one row."""
    source = variable.source
    drawn = isinstance(source, Distribution)
    return variable.split(_stacked([source.typical(variable.shape) if drawn else source[len(source) // 2]]))


def _stacked(values: Sequence[Any]) -> Any:
    """Values as rows."""
    return list(values) if isinstance(values[0], Pose) else np.array(values, dtype=float)


def _repeated(rows: Any, count: int) -> Any:
    return list(rows) * count if isinstance(rows, list) else np.repeat(rows, count, axis=0)


def is_posed(source: Distribution) -> bool:
    """Whether a distribution picks poses."""
    options = getattr(source, "options", ())
    return bool(options) and not is_numeric(options)


def _variable(model: Model, names: object, source: Any) -> Variable:
    """A variable from a user's key and what stands there."""
    keys = names if isinstance(names, tuple) else (names,)
    targets = tuple(make_target(model, key) for key in keys)
    if len(targets) > 1 and any(target.shape != () for target in targets):
        raise InputError(f"sweep: {names!r} are drawn together, so each must be a single number")
    made = Variable(targets, source)
    label = ", ".join(repr(target.name) for target in targets)
    if not isinstance(source, Distribution):
        return Variable(targets, _rows(label, source, made))
    posed = targets[0].shape is None
    if posed != is_posed(source):
        expected = "a choice, grid or list of poses" if posed else "numbers"
        raise InputError(f"sweep: {label} is drawn from {type(source).__name__.lower()}; expected {expected}")
    if not posed and source.shape not in ((), made.shape):
        raise InputError(f"sweep: {label} has the shape {made.shape}, its distribution {source.shape}; make them agree")
    if not posed and made.shape and source.shape == () and getattr(source, "options", ()):
        raise InputError(f"sweep: {label} has the shape {made.shape}; give values of that shape to choose from")
    return made


def make_target(model: Model, name: Any) -> Target:
    """What a name stands for."""
    mechanism = model.mechanism
    sizes = {"q0": model.nq, "v0": model.nv, "tau": model.nv}
    if name in sizes:
        return Target(name, (sizes[name],), name)
    state, _, entry = str(name).partition("/")
    if state in sizes and entry in entries_of(model, state):
        return Target(name, (), state, entries_of(model, state).index(entry))
    try:
        find(mechanism, name)
    except InputError:
        known = [*model.parameters, *STATES, *(f"{s}/{e}" for s in STATES for e in entries_of(model, s))]
        hint = meant(name, known, 0.5) or "; list(model.parameters) names the model's, beside q0, v0, tau"
        raise InputError(f"sweep: there is no parameter {name!r}{hint}") from None
    value = value_of(mechanism, name)
    return Target(name, None if isinstance(value, Pose) else _plain_shape(value))


def _plain_shape(value: object) -> tuple[int, ...]:
    """The shape of a parameter; springs of a joint with one coordinate are numbers."""
    shape = np.shape(np.asarray(value, dtype=float))
    return () if shape == (1,) else shape


def entries_of(model: Model, state: str) -> list[str]:
    """Names of the entries of q0, v0 or tau."""
    if state == "q0":
        return list(model.mechanism.coordinate_names)
    return [f"{body.name}/{name}" for body in model.mechanism.bodies for name in body.joint.velocity_names]


def _rows(label: str, given: Any, variable: Variable) -> Any:
    """Rows that a user gave, one for each run."""
    if variable.targets[0].shape is None:
        if not isinstance(given, (list, tuple)) or not given or not all(isinstance(x, Pose) for x in given):
            raise InputError(f"sweep: {label} is a pose; give a list of poses, one for each run, or aj.choice of some")
        return list(given)
    try:
        rows = reals(given)
    except (TypeError, ValueError):
        raise InputError(
            f"sweep: {label} is {given!r}; expected a distribution such as aj.uniform(1, 2), or a list of numbers"
        ) from None
    if rows.ndim < 1 or rows.shape[1:] != variable.shape or not len(rows):
        shape = ", ".join(map(str, ("runs", *variable.shape)))
        raise InputError(f"sweep: {label} has rows of shape {rows.shape}; expected ({shape}), one for each run")
    if not np.isfinite(rows).all():
        raise InputError(f"sweep: {label} holds NaN or infinity; give finite numbers")
    return np.array(rows, dtype=float)


def _check_twice(names: Sequence[str]) -> None:
    twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if twice:
        raise InputError(f"sweep: {twice[0]!r} is varied twice; keep one of them")
    for state in STATES:
        if state in names and any(name.startswith(f"{state}/") for name in names):
            raise InputError(f"sweep: {state!r} is varied as a whole and in an entry; keep one of them")


def _count(n: Any, variables: Sequence[Variable]) -> int:
    """How many runs: what the user says, and what grids and rows say by themselves."""
    if n is not None and (isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 1):
        raise InputError(f"sweep: n={n!r}; expected a whole number of runs, at least 1")
    lengths = {len(v.source) for v in variables if not isinstance(v.source, Distribution)}
    if len(lengths) > 1:
        raise InputError(f"sweep: rows for different numbers of runs were given: {sorted(lengths)}; make them agree")
    points = int(np.prod([len(v.source.options) for v in variables if isinstance(v.source, Grid)] or [0]))
    own = next(iter(lengths), points)
    if n is None and not own:
        raise InputError("sweep: say how many runs there are, n=1000; only grids and rows know it by themselves")
    runs = int(n) if n is not None else own
    if lengths and runs not in lengths:
        raise InputError(f"sweep: n={runs}, but rows for {own} runs were given; leave n out, or make them agree")
    if points and runs % points:
        raise InputError(f"sweep: n={runs} runs over a grid of {points} points; give a multiple of it, or leave n out")
    return runs
