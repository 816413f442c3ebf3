"""Costs as plain functions of states, traced once: their values and slopes at all samples of a run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from anyjoint.errors import AnyjointError, InputError
from anyjoint.scalar.array import Floats
from anyjoint.symbolic import Graph, Node
from anyjoint.symbolic.derivative import jacobian
from anyjoint.symbolic.interpret import evaluate


class Cost:
    """A number that depends on some vectors; `sizes` are their lengths, 0 for a single number."""

    def __init__(self, what: str, function: Callable[..., Any], sizes: Sequence[int]) -> None:
        graph = Graph()
        self.rows = [[graph.variable("x") for _ in range(max(n, 1))] for n in sizes]
        given = [_vector(row) if n else row[0] for row, n in zip(self.rows, sizes, strict=True)]
        try:
            made = function(*given)
            value = made.item() if isinstance(made, np.ndarray) else made
            if not isinstance(value, Node):
                value = graph.constant(float(value))
        except AnyjointError as error:
            raise InputError(f"optimise: {what}: {error}") from error
        except Exception as error:
            raise InputError(
                f"optimise: {what} could not be traced ({type(error).__name__}: {error}); write it with arithmetic and"
                " functions such as aj.cos, and let it return one number"
            ) from error
        self.value = value
        self.slopes = [list(jacobian([value], row)[0]) for row in self.rows]

    def at(self, *rows: Any) -> tuple[Floats, list[Floats]]:
        """Values and slopes where every row has one entry per sample: (samples,), and (samples, n) each."""
        given = [np.asarray(row, dtype=float) for row in rows]
        count = max(len(row) for row in given)
        values: dict[object, object] = {}
        for variables, row in zip(self.rows, given, strict=True):
            wide = row[:, None] if row.ndim == 1 else row
            values |= {node: wide[:, k] for k, node in enumerate(variables)}
        flat = evaluate([self.value, *(x for part in self.slopes for x in part)], values)
        columns = [np.broadcast_to(np.asarray(x, dtype=float), (count,)) for x in flat]
        made, at = [], 1
        for part in self.slopes:
            made.append(np.stack(columns[at : at + len(part)], axis=-1))
            at += len(part)
        return columns[0], made


def _vector(nodes: list[Node]) -> Floats:
    made = np.empty(len(nodes), dtype=object)
    made[:] = nodes
    return made
