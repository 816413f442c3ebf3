"""The model of one run: a user's measure asks `traj.model` and gets answers with that run's own parameters."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from anyjoint.model.parameter_rows import ParameterRows

if TYPE_CHECKING:
    from anyjoint.model import Model

SAME = ("nq", "nv", "nb", "dtype", "clock", "hard_rows", "row_names", "quantities")  # whatever the parameters are


class RunModel:
    """A model with the parameters of one run: answers about states come from code for rows, all else from a copy."""

    def __init__(self, model: Model, row: ParameterRows) -> None:
        self._model, self._row = model, row

    def __getattr__(self, name: str) -> Any:
        if name in SAME:
            return getattr(self._model, name)
        if name.startswith("_") or name == "simulate":
            return getattr(self._copy, name)
        found = inspect.getattr_static(type(self._model), name, None)
        if inspect.isfunction(found) and "parameters" in inspect.signature(found).parameters:
            return self._answering(getattr(self._model, name))
        return getattr(self._copy, name)

    def _answering(self, method: Callable[..., Any]) -> Callable[..., Any]:
        """A method of the model that takes this run's parameters along, for one state or many."""

        def answer(*arguments: Any, **options: Any) -> Any:
            if "parameters" in options:
                return method(*arguments, **options)
            states = [x for x in (*arguments, *options.values()) if np.ndim(x) > 1]
            found = method(*arguments, **options, parameters=self._row.tiled(len(states[0]) if states else 1))
            if states:
                return found
            return tuple(x[0] for x in found) if isinstance(found, tuple) else found[0]

        return answer

    @cached_property
    def _copy(self) -> Model:
        return with_parameters(self._model, self._row.row(0))


def with_parameters(model: Model, values: Mapping[str, object]) -> Model:
    """A copy of a model with other parameters, none of which is built into its code."""
    vary = sorted({*model.vary, *values})
    made = type(model)(model.mechanism, model.algorithm, model.dtype.name, model.workshop.form, model.width, vary)
    made.parameters.set(values)
    return made
