"""Sines and cosines of all hinges before the first sweep, several at a time, which one body's kernel cannot do."""

from __future__ import annotations

from collections.abc import Sequence

from anyjoint.codegen import Array, Kernel, Run, Store
from anyjoint.symbolic import Graph
from anyjoint.tree.links import RAW

from .setup import Setup

TOGETHER = 8
SLOTS = 2  # a hinge's record begins with its sine and cosine


def turn_setup() -> Setup:
    """The one number of a hinge that its angle needs: what is added to the coordinate."""
    g = Graph()
    theta = g.variable("p")
    return Setup(g, {theta.id: RAW.index("theta")}, (theta.id,))


def turn_kernel(count: int) -> Kernel:
    """Sine and cosine of `count` hinges: coordinates and records anywhere, numbers side by side."""
    g = Graph()
    q = [g.variable("q") for _ in range(count)]
    theta = [g.variable("p") for _ in range(count)]
    loads = {x.id: (k, 0) for k, x in enumerate(q)} | {x.id: (2 * count, k) for k, x in enumerate(theta)}
    stores = []
    for k in range(count):
        angle = q[k] + theta[k]
        stores += [Store(angle.sin(), count + k, 0), Store(angle.cos(), count + k, 1)]
    arrays = [Array("q", "row")] * count + [Array("keep", "lane")] * count + [Array("numbers", "uniform")]
    return Kernel(g, tuple(arrays), loads, tuple(stores))


def turn_runs(
    coordinates: Sequence[int], records: Sequence[int], numbers: int, bases: dict[str, int], kernel: int
) -> tuple[list[Kernel], list[Run]]:
    """The kernel, to be number `kernel`, and its run over hinges; their numbers begin at `numbers`.

    The last group ends with the last hinge and may repeat some of the one before, so that one kernel serves any number.
    """
    count = len(coordinates)
    if not count:
        return [], []
    width = min(count, TOGETHER)
    starts = [*range(0, count - width, width), count - width]
    tables = [(bases["q"], tuple(coordinates[i + k] for i in starts)) for k in range(width)]
    tables += [(bases["keep"], tuple(records[i + k] for i in starts)) for k in range(width)]
    tables += [(bases["numbers"], tuple(numbers + i for i in starts))]
    return [turn_kernel(width)], [Run(kernel, len(starts), tuple(tables))]
