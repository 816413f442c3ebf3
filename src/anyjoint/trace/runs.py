"""The runs of all sweeps: which link's data each call of a kernel touches, as tables of offsets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from anyjoint.codegen import Place, Run
from anyjoint.codegen.builder import Builder
from anyjoint.codegen.kernel import Offsets
from anyjoint.scalar.array import Ints

from .setup import Rows, Setup


class Call(NamedTuple):
    """A kernel called for a link in a sweep."""

    kernel: int
    link: int
    level: int


def add_sweeps(
    builder: Builder,
    setups: Mapping[int, Setup],
    calls: Sequence[Call],
    places: Mapping[str, Place],
    begins: Mapping[str, Ints],
    messages: Ints,
    parents: Ints,
    first: int = 0,
    between: Callable[[int], None] | None = None,
) -> list[Rows]:
    """Add the calls in order, those of one kernel behind each other as one run; the rows of numbers that they load.

    `setups` are those of the kernels, by their numbers. `places` says where the arrays of kernels are, `begins` where
    each link's part of them begins, `messages` where its message is, sweep by sweep; numbers begin at `first`.
    `between` is called with the number of each sweep before its runs.
    """
    kernel, link, level = np.array(calls, dtype=int).reshape(-1, 3).T
    parent = parents[link]
    lanes = {"mine": messages[level, link], "parent": np.where(parent >= 0, messages[level, parent], 0)}
    order = np.argsort(kernel, kind="stable")
    sorted_kernel = kernel[order]
    rows: list[Rows] = []
    table: dict[int, Offsets] = {}
    for k, setup in setups.items():
        chosen = order[np.searchsorted(sorted_kernel, k) : np.searchsorted(sorted_kernel, k, "right")]  # its calls
        start = rows[-1].end if rows else first
        rows.append(Rows(setup, tuple(link[chosen].tolist()), start))
        columns = {name: at[chosen] for name, at in lanes.items()}
        columns["numbers"] = start + len(setup.outputs) * np.arange(len(chosen))
        names = [array.name for array in builder.kernels[k].arrays]
        made = [columns[name] if name in columns else begins[name][link[chosen]] for name in names]
        table[k] = np.stack(made, axis=1).astype(np.int32)
    breaks = np.flatnonzero((np.diff(kernel) != 0) | (np.diff(level) != 0)) + 1
    cuts = [0, *breaks.tolist(), *([len(calls)] if calls else [])]
    done = dict.fromkeys(table, 0)
    arrays = {k: tuple(places[array.name].array for array in builder.kernels[k].arrays) for k in table}
    sweep = -1
    for begin, end in pairwise(cuts):
        k = int(kernel[begin])
        while between and sweep < level[begin]:
            sweep += 1
            between(sweep)
        builder.runs.append(Run(k, arrays[k], table[k][done[k] : done[k] + end - begin]))
        done[k] += end - begin
    return rows
