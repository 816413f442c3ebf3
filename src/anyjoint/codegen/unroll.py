"""Schedules with loops as they are differentiated: one more pass in place of a loop that has come to rest, a loop of a
few passes written out, and no search.

What is found by a loop that comes to rest does not depend on how it was found, so the loop itself runs as it is, and
the pass behind it says what it obeys. A search within such a pass chooses how far to go; at rest there is no way to go.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from anyjoint.codegen.kernel import Again, Array, Kernel, Run, Schedule, Store, lane_array
from anyjoint.frozen import frozen
from anyjoint.symbolic import Graph


@frozen
class Loop:
    """A loop that comes to rest: its runs, and those of the one pass behind it, which begins with setting its flag."""

    runs: tuple[Run, ...]
    entry: int  # the flag
    go: int  # what the flag was before the loop, in the work array; a lane in which it is not set stays as it is
    begin: int
    end: int


def unrolled(schedule: Schedule) -> tuple[Schedule, list[Loop]]:
    """The schedule without loops but for those that fade, and the loops that one pass stands for."""
    if not any(run.again for run in schedule.runs):
        return schedule, []
    made = _Unrolling(schedule)
    made.add(0, len(schedule.runs))
    kernels = (*schedule.kernels, _copier())
    return replace(schedule, kernels=kernels, runs=tuple(made.runs), work=made.work), made.loops


class _Unrolling:
    """Collects runs."""

    def __init__(self, schedule: Schedule) -> None:
        self.given, self.work, self.lane = schedule.runs, schedule.work, lane_array(schedule.arrays)
        self.copier = len(schedule.kernels)
        self.ends = {i: run.again for i, run in enumerate(schedule.runs) if run.again}
        self.runs: list[Run] = []
        self.loops: list[Loop] = []

    def add(self, begin: int, end: int, outer: int = -1) -> None:
        """Add what stands for some runs; `outer` is the last run of the loop around them."""
        i = begin
        while i < end:
            last = max((k for k in self._ends_of(i) if k < end and k != outer), default=None)
            if last is None:
                self.runs.append(self.given[i]._replace(again=None))
                i += 1
            else:
                self._loop(i, last, self.ends[last])
                i = last + 1

    def _ends_of(self, first: int) -> Iterator[int]:
        """Where loops that begin with a run end."""
        return (k for k, again in self.ends.items() if k + 1 - again.runs == first)

    def _loop(self, first: int, last: int, again: Again) -> None:
        if again.kind == "fade":
            self.runs += self.given[first : last + 1]
        elif again.kind == "passes":
            for _ in range(again.most):
                self.add(first, last + 1, last)
        elif again.kind == "rest":
            self._rest(first, last, again)

    def _rest(self, first: int, last: int, again: Again) -> None:
        go, flag = (self.lane, (self.work,)), (self.lane, (again.entry,))
        self.work += 1
        own = (*self.given[first:last], self.given[last]._replace(again=None))
        self.runs.append(Run.over(self.copier, flag, go))
        begin = len(self.runs)
        self.runs.append(Run.over(self.copier, go, flag))
        self.add(first, last + 1, last)
        self.loops.append(Loop(own, again.entry, go[1][0], begin, len(self.runs)))


def _copier() -> Kernel:
    graph = Graph()
    x = graph.variable("x")
    return Kernel(graph, (Array("work", "lane"),) * 2, {x.id: (0, 0)}, (Store(x, 1, 0),))
