"""Accelerations beside the multipliers that hold them: fewer multipliers than elsewhere tell of a change point."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from anyjoint.scalar.array import ArrayLike, Floats

from .arguments import write_out
from .redundancy import check_ranks, fine_rank

if TYPE_CHECKING:
    from .model import Model
    from .parameter_rows import ParameterRows


class Held:
    """Result rows of `quantity.constraints.HELD`, looked at and parted."""

    def __init__(self, model: Model) -> None:
        self._model, self._nv = model, model.nv
        self._soft = int(np.count_nonzero(~model.hard_rows))
        self._least = len(model.hard_rows)

    def directly(self, state: Callable[..., Floats | None]) -> Callable[[tuple[Any, ...], Any], Floats | None]:
        """Of one state without delay, accelerations; None where a closer look is needed."""
        count, nv = np.count_nonzero, self._nv

        def held(arrays: tuple[Any, ...], out: Any = None) -> Floats | None:
            row = state(arrays) if out is None else None
            return None if row is None or count(row[nv:]) < self._least else row[:nv]

        return held

    def accelerations(
        self, what: str, row: Floats, q: ArrayLike, t: ArrayLike | None, out: Any = None,
        rows: ParameterRows | None = None,
    ) -> Floats:  # fmt: skip
        """The accelerations of result rows, in `out` if it is given; raise at change points."""
        self.check(what, row[..., self._nv :], q, t, rows)
        a = np.ascontiguousarray(row[..., : self._nv])
        return a if out is None else write_out(what, (out,), (a,))[0]

    def check(
        self, what: str, y: Floats, q: ArrayLike, t: ArrayLike | None = None, rows: ParameterRows | None = None
    ) -> None:
        """Raise where rows of multipliers are those of change points."""
        counts = np.count_nonzero(y, axis=-1)
        for most in (1, None):  # one state tells what is usual
            few = np.flatnonzero(counts < self._least)[:most]
            if len(few):
                check_ranks(self._model, what, q, t, rows, few if y.ndim > 1 else None)
                self._least = fine_rank(self._model) + self._soft
