"""The model of one run: a user's measure asks `traj.model` and gets answers with that run's own parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from anyjoint.model.parameter_rows import ParameterRows

if TYPE_CHECKING:
    from anyjoint.model import Model


class RunModels:
    """The models of the runs of a chunk; one copy of the model serves them all, and is made when it is asked for."""

    def __init__(self, model: Model, rows: ParameterRows) -> None:
        self._model, self._rows = model, rows
        self._copy: Model | None = None
        self._at: int | None = None

    def of(self, k: int) -> Any:
        """The model of run k, to be used while it is measured."""
        return RunModel(self, k)

    def at(self, k: int) -> Model:
        """The copy with the parameters of run k."""
        if self._copy is None:
            model = self._model
            vary = sorted({*model.vary, *self._rows.names})  # so that no number of theirs is built into the code
            self._copy = type(model)(
                model.mechanism, model.algorithm, model.dtype.name, model.workshop.form, model.width, vary
            )
        if self._at != k:
            self._copy.parameters.set(self._rows.row(k))
            self._at = k
        return self._copy


class RunModel:
    """Stands for a model until it is asked something."""

    def __init__(self, owner: RunModels, k: int) -> None:
        self._owner, self._k = owner, k

    def __getattr__(self, name: str) -> Any:
        return getattr(self._owner.at(self._k), name)
