"""A pass over derivatives of general joints: subexpressions of a kernel that are equal become one.

A joint's own function was simplified before it was differentiated; its rates and adjoints hide the same identities
(unit normals, sin^2 + cos^2) again. Hinges and sliders have none to find.
"""

from __future__ import annotations

from dataclasses import replace

from anyjoint.codegen.kernel import Kernel, Schedule
from anyjoint.symbolic.rewrite import reachable
from anyjoint.symbolic.simplify import merge_identities

MOST = 5_000  # nodes of a kernel: the time to find them grows faster than what they save


def without_identities(schedule: Schedule) -> Schedule:
    """The same schedule, of kernels in which equal values are computed once."""
    return replace(schedule, kernels=tuple(_simplified(kernel) for kernel in schedule.kernels))


def _simplified(kernel: Kernel) -> Kernel:
    nodes = [store.node for store in kernel.stores]
    if len(reachable(kernel.graph, [node.id for node in nodes])) > MOST:
        return kernel
    found = zip(kernel.stores, merge_identities(nodes), strict=True)
    return replace(kernel, stores=tuple(replace(store, node=node) for store, node in found))
