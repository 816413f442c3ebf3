"""The runs of a search: where they begin, their options, and what unknowns change of model and forces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from anyjoint.errors import InputError
from anyjoint.model import Model
from anyjoint.model.arguments import finite
from anyjoint.scalar.array import Floats
from anyjoint.simulate.force_numbers import force_names, with_numbers
from anyjoint.simulate.run_problem import Q0, V0

START = (Q0, V0)  # where a run begins, which is no parameter of a model


def start_of(model: Model, what: str, q0: Any, v0: Any) -> tuple[Floats, Floats]:
    """Where runs begin: the mechanism's own start unless a state is given; a place that is given, at rest."""
    start = model.mechanism.start or (model.mechanism.neutral, np.zeros(model.nv))
    still = start[1] if q0 is None else np.zeros(model.nv)
    q = finite(f"{what}: q0", start[0] if q0 is None else q0, (model.nq,))
    return q, finite(f"{what}: v0", still if v0 is None else v0, (model.nv,))


def run_options(what: str, given: Any, own: Sequence[str]) -> dict[str, object]:
    """Options of runs, without those that the caller sets itself."""
    if given is not None and not isinstance(given, Mapping):
        raise InputError(f"{what}: simulate={given!r}; expected options of the runs by name, such as {{'method': ...}}")
    for name in (*own, "gradient"):
        if name in (given or {}):
            raise InputError(f"{what}: simulate has {name!r}, which {what} sets itself; leave it out")
    forces = (given or {}).get("forces", ())
    if not isinstance(forces, (list, tuple)):
        raise InputError(f"{what}: simulate has forces={forces!r}; expected a list, such as [aj.forces.Spring(...)]")
    return dict(given or {})


class Setting:
    """What unknowns change: parameters of a model, and numbers of the forces of its runs."""

    def __init__(self, model: Model, options: Mapping[str, Any]) -> None:
        self.model, self.options = model, options
        self.acting: Sequence[object] = options.get("forces", ())
        self.pushing = frozenset(force_names(self.acting))

    def parameters(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Those values that are of the model itself."""
        return {name: value for name, value in values.items() if name not in self.pushing and name not in START}

    def present(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """What the model has in their place."""
        return {name: self.model.parameters[name] for name in self.parameters(values)}

    def set(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Give the model its parameters; options of a run with these forces."""
        self.model.parameters.set(self.parameters(values))
        pushing = {name: value for name, value in values.items() if name in self.pushing}
        return {**self.options, "forces": with_numbers(self.acting, pushing)} if pushing else dict(self.options)
