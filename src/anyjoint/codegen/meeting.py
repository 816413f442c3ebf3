"""Runs of backward kernels whose arguments meet: places that were read twice, where adjoints must add up."""

from __future__ import annotations

import numpy as np

from anyjoint.codegen.kernel import Kernel, Offsets, Run, Store
from anyjoint.codegen.shadow import Shadows
from anyjoint.symbolic import Graph, Node


def add_backwards(
    made: Shadows, backward: Kernel, numbers: dict[int, int], arrays: tuple[int, ...], offsets: Offsets
) -> None:
    """Add a run backwards; arguments that were only read may meet in one place, where adjoints must add up.

    A kernel's arguments must not overlap where one is written, so those that meet others get room of their own, and
    what stands there is added after each call.
    """
    meeting = _meeting(backward, arrays, offsets)
    if not meeting:
        if id(backward) not in numbers:
            numbers[id(backward)] = made.builder.kernel(backward)
        made.builder.runs.append(Run(numbers[id(backward)], arrays, np.ascontiguousarray(offsets)))
        return
    adders = []
    for argument in meeting:
        reach = 1 + max(s.offset for s in backward.stores if s.array == argument)
        room = made.builder.room(reach)
        backward = _elsewhere(backward, argument)
        adders.append((argument, room, made.builder.kernel(_adder(backward, argument))))
    apart = made.builder.kernel(backward)
    for call in offsets:
        moved = call.copy()
        for argument, room, _ in adders:
            moved[argument] = room.offset
        made.builder.runs.append(Run(apart, arrays, moved[None]))
        for argument, room, adder in adders:
            columns = np.array([[call[argument], room.offset]], dtype=np.int32)
            made.builder.runs.append(Run(adder, (arrays[argument], room.array), columns))


def _meeting(kernel: Kernel, arrays: tuple[int, ...], offsets: Offsets) -> list[int]:
    """Arguments to which a kernel adds and which share a place with an earlier one in some call."""
    added: dict[int, list[int]] = {}
    for store in kernel.stores:
        if store.accumulate:
            added.setdefault(store.array, []).append(store.offset)
    found = []
    for j, places in added.items():
        for i, others in added.items():
            if i < j and arrays[i] == arrays[j]:
                distances = np.subtract.outer(others, places)
                if np.isin(offsets[:, j] - offsets[:, i], distances).any():
                    found.append(j)
                    break
    return found


def _elsewhere(kernel: Kernel, argument: int) -> Kernel:
    """The kernel with plain stores to an argument, whose places are sums of all that was added there."""
    sums: dict[int, Node] = {}
    rest = []
    for store in kernel.stores:
        if store.array != argument:
            rest.append(store)
        else:
            sums[store.offset] = sums[store.offset] + store.node if store.offset in sums else store.node
    stores = (*rest, *(Store(node, argument, offset) for offset, node in sums.items()))
    return Kernel(kernel.graph, kernel.arrays, kernel.loads, stores)


def _adder(kernel: Kernel, argument: int) -> Kernel:
    """Adds what a kernel has stored to an argument to where it belongs."""
    graph, loads, stores = Graph(), {}, []
    for store in kernel.stores:
        if store.array == argument:
            node = graph.variable("x")
            loads[node.id] = (1, store.offset)
            stores.append(Store(node, 0, store.offset, True))
    array = kernel.arrays[argument]
    return Kernel(graph, (array, array), loads, tuple(stores))
