"""Traced programs on disk, so that a mechanism of known structure needs neither tracing nor compiling.

A program depends on structure alone: joint kinds, which numbers are exact, the tree, the algorithm, and the source
text of this package. Mechanisms with joints that are functions of the user's own are traced anew in every process,
because nothing tells reliably whether such a function is still the same.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from anyjoint.codegen import Array, Kernel, Schedule, Store, cache
from anyjoint.codegen.kernel import decode
from anyjoint.codegen.source import source_digest
from anyjoint.scalar.array import Floats
from anyjoint.symbolic import Graph, Node, Variable

from .setup import Rows, Setup

Traced = tuple[Schedule, list[Rows]]
PACKAGE = Path(__file__).resolve().parent.parent


def remembered(structure: Hashable, trace: Callable[[], Traced]) -> Traced:
    """The program of a structure, from disk or traced now."""
    text = stable(structure)
    if text is None or cache.directory() is None:
        return trace()
    key = cache.key_of("trace", source_digest(PACKAGE), text)
    made: list[Traced] = []

    def packed() -> bytes:
        made.append(trace())
        return pack(*made[0])

    data, _ = cache.once(key, packed)
    schedule, setups = made[0] if made else unpack(data)
    return schedule.known_as(key), setups


def stable(thing: Any) -> str | None:
    """A text that is equal in every process exactly where the structure is; None if there is no such text."""
    if isinstance(thing, type):
        ours = thing.__module__.startswith(("anyjoint.", "builtins"))
        return f"{thing.__module__}.{thing.__qualname__}" if ours else None
    if thing is None or isinstance(thing, (bool, int, str, bytes)):
        return repr(thing)
    if isinstance(thing, float):
        return thing.hex()
    if isinstance(thing, tuple):
        parts = [stable(item) for item in thing]
        return None if None in parts else f"({','.join(str(p) for p in parts)})"
    return None


class _Long:
    """A long vector, made piece by piece."""

    def __init__(self, dtype: str) -> None:
        self.dtype, self.end = dtype, 0
        self.pieces: list[Floats] = []

    def add(self, values: Any) -> tuple[int, ...]:
        """Where it is: (start, shape)."""
        array, start = np.asarray(values, dtype=self.dtype), self.end
        self.pieces.append(array.ravel())
        self.end += array.size
        return (start, *array.shape)

    def joined(self) -> Floats:
        """All pieces, and a number behind them: never empty."""
        return np.concatenate([*self.pieces, np.zeros(1, self.dtype)])


class _Packer:
    """Collects numbers into two long vectors; what it returns says where they are: (start, shape)."""

    def __init__(self) -> None:
        self.whole, self.real = _Long("<i4"), _Long("<f8")

    def ints(self, values: Any) -> tuple[int, ...]:
        return self.whole.add(values)

    def floats(self, values: Any) -> tuple[int, ...]:
        return self.real.add(values)

    def graph(self, g: Graph) -> dict[str, Any]:
        nodes = self.ints([g.op, g.a, g.b, g.c])
        tables = [self.floats(table) for table in g.tables]
        return {"nodes": nodes, "constants": self.floats(g.constants), "variables": len(g.variables), "tables": tables}

    def setup(self, s: Setup) -> dict[str, Any]:
        return {"graph": self.graph(s.graph), "raw": self.ints(list(s.raw.items())), "outputs": self.ints(s.outputs)}

    def kernel(self, k: Kernel) -> dict[str, Any]:
        loads = self.ints([(node, *place) for node, place in k.loads.items()])
        stores = self.ints([(s.node.id, s.array, s.offset, s.accumulate) for s in k.stores])
        made = {"graph": self.graph(k.graph), "arrays": _arrays(k.arrays), "loads": loads, "stores": stores}
        return {**made, "columns": k.columns}


def pack(schedule: Schedule, setups: Sequence[Rows]) -> bytes:
    """A traced program as bytes."""
    p = _Packer()
    made = [
        {**vars(r), "setup": p.setup(r.setup), "links": None if r.links is None else p.ints(r.links)} for r in setups
    ]
    header = {"arrays": _arrays(schedule.arrays), "work": schedule.work, "setups": made}
    header["runs"] = p.ints(schedule.words)
    header["kernels"] = [p.kernel(k) for k in schedule.kernels]
    text = json.dumps(header).encode()
    whole, real = p.whole.joined(), p.real.joined()
    sizes = np.array([len(text), len(whole)], dtype="<i8")
    return sizes.tobytes() + text + whole.tobytes() + real.tobytes()


def unpack(data: bytes) -> Traced:
    """A traced program from bytes."""
    length, count = np.frombuffer(data, "<i8", 2)
    end = 16 + int(length)
    header = json.loads(data[16:end])
    whole, real = np.frombuffer(data, "<i4", int(count), end), np.frombuffer(data, "<f8", offset=end + 4 * int(count))

    def ints(place: Any) -> Any:
        return _slice(whole, *place)

    def floats(place: Any) -> Any:
        return _slice(real, *place)

    def graph(h: Any) -> Graph:
        g = Graph()
        g.op, g.a, g.b, g.c = ints(h["nodes"])
        g.constants = floats(h["constants"])
        g.variables = [Variable("x", (-1.0, 1.0))] * h["variables"]
        g.tables = [tuple(floats(place)) for place in h["tables"]]
        return g

    def setup(h: Any) -> Setup:
        return Setup(graph(h["graph"]), dict(ints(h["raw"])), tuple(ints(h["outputs"])))

    def kernel(h: Any) -> Kernel:
        g = graph(h["graph"])
        stores = tuple(Store(Node(g, i), array, offset, bool(add)) for i, array, offset, add in ints(h["stores"]))
        loads = {i: (array, offset) for i, array, offset in ints(h["loads"])}
        return Kernel(g, _from(h["arrays"]), loads, stores, h["columns"])

    kernels = tuple(map(kernel, header["kernels"]))
    start, length = header["runs"]
    runs = decode(whole[start : start + length], [len(k.arrays) for k in kernels])
    schedule = Schedule(_from(header["arrays"]), kernels, runs, header["work"])
    rows = [
        Rows(setup(h["setup"]), None if h["links"] is None else tuple(ints(h["links"])), h["start"], h["frames"])
        for h in header["setups"]
    ]
    return schedule, rows


def _slice(numbers: Any, start: int, *shape: int) -> Any:
    return numbers[start : start + math.prod(shape)].reshape(shape).tolist()


def _arrays(arrays: Sequence[Array]) -> list[tuple[str, str, bool, int]]:
    return [(array.name, array.kind, array.wide, array.step) for array in arrays]


def _from(pairs: Any) -> tuple[Array, ...]:
    return tuple(Array(*parts) for parts in pairs)
