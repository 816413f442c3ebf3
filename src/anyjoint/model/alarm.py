"""What every call of forward dynamics is looked at for, by machine code: flags that are 0, or infinite near trouble.

Trouble is a coordinate beyond the interval of its joint, a joint near a place where it breaks down, or an acceleration
far above what is natural for the model. Flags stand beside the result, where the look for finite numbers finds them.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Hashable, Iterator, Sequence

import numpy as np

from anyjoint.codegen import CompiledSchedule, Kernel, Run, Schedule, Store, rows_and_numbers
from anyjoint.geometry.check import EVERYWHERE
from anyjoint.joints import Joint
from anyjoint.mechanism import Mechanism
from anyjoint.scalar import Scalar, less, select
from anyjoint.stepper.physics import joint_key
from anyjoint.symbolic import Graph, Node

from .places import SHARE, inner_coordinates, normalised

Places = tuple[tuple[int, int], ...]
ARRAYS = rows_and_numbers("q", "a", "flags")


class Alarm:
    """Flags of a mechanism for coordinates q and accelerations up to a limit; `share` is what ranks must keep."""

    def __init__(self, mechanism: Mechanism, dtype: str, share: float) -> None:
        kernels: list[Kernel] = [_accelerations()]
        runs = [_run(0, [((1, k), (2, k), (3, 0)) for k in range(mechanism.nv)])]
        self.size = mechanism.nv
        for kernel, starts in _groups(mechanism, share):
            places: list[Places] = []
            for start in starts:
                places.append(((0, start), (2, self.size)))
                self.size += len(kernel.stores)
            runs.append(_run(len(kernels), places))
            kernels.append(kernel)
        self.code = CompiledSchedule(Schedule(ARRAYS, tuple(kernels), tuple(runs)), dtype=dtype)
        self.numbers = np.zeros(1, dtype)

    def up_to(self, limit: float) -> Alarm:
        """The same flags for accelerations up to a limit."""
        made = copy.copy(self)
        made.numbers = np.array([min(limit, float(np.finfo(self.numbers.dtype).max))], self.numbers.dtype)
        return made


def _groups(mechanism: Mechanism, share: float) -> Iterator[tuple[Kernel, list[int]]]:
    """A kernel for each kind of joint that has something to look at, and where the coordinates of its bodies begin."""
    kernels: dict[Hashable, Kernel | None] = {}
    starts: dict[Hashable, list[int]] = {}
    for body in mechanism.bodies:
        leader = mechanism.leader(body)
        key = joint_key(body.joint)
        if key not in kernels:
            kernels[key] = _flags(body.joint, leader.joint, share)
        starts.setdefault(key, []).append(leader.q.start)
    for key, kernel in kernels.items():
        if kernel:
            yield kernel, starts[key]


def _flags(joint: Joint, leader: Joint, share: float) -> Kernel | None:
    """The flags of one joint kind as a kernel over its coordinates."""
    graph = Graph()
    q = [graph.variable("q", c.domain) for c in leader.coordinates]
    inner, at = inner_coordinates(joint, q)
    flags = [_flag(x, *c.defined) for c, x in zip(inner.coordinates, at, strict=True) if c.defined != EVERYWHERE]
    for numbers, least in ((inner.edges(at), SHARE), (inner.ranks(at), share)):
        flags += [_flag(x, least, math.inf) for x in normalised(numbers, q, leader)]
    moving = [x for x in flags if isinstance(x, Node)]
    loads = {node.id: (0, k) for k, node in enumerate(q)}
    stores = tuple(Store(x, 1, k) for k, x in enumerate(moving))
    return Kernel(graph, (ARRAYS[0], ARRAYS[2]), loads, stores) if stores else None


def _flag(x: Scalar, low: float, high: float) -> Scalar:
    """0 for low <= x <= high, else infinite, also where x is not a number."""
    inside: Scalar = 1.0
    if high < math.inf:
        inside = select(x <= high, inside, 0.0)
    if low > -math.inf:
        inside = select(x >= low, inside, 0.0)
    return 1.0 / inside - 1.0


def _accelerations() -> Kernel:
    graph = Graph()
    a, limit = graph.variable("a"), graph.variable("limit")
    small = select(less(abs(a), limit), 1.0, 0.0)
    arrays = (ARRAYS[1], ARRAYS[2], ARRAYS[3])
    return Kernel(graph, arrays, {a.id: (0, 0), limit.id: (2, 0)}, (Store(1.0 / small - 1.0, 1, 0),))


def _run(kernel: int, places: Sequence[Places]) -> Run:
    """A kernel over places, each a pair of array and offset for each of the kernel's arguments."""
    columns = zip(*places, strict=True)
    return Run.over(kernel, *((column[0][0], [at for _, at in column]) for column in columns))
