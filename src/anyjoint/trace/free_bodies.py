"""Free bodies within a step: their velocities are along their own axes, which turn while they go straight on.

Within a step, velocities are kept along the axes in its middle, where nothing turns. So a body that flies and spins
goes where it is thrown.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from anyjoint.codegen import Place
from anyjoint.codegen.builder import Builder
from anyjoint.scalar import less, select
from anyjoint.spatial import cross, vector
from anyjoint.tree.plan import Link

from .sketch import Sketch, run_over


class FreeBodies:
    """Adds runs over all free bodies; `starts` is where their velocities begin: angular, then linear."""

    def __init__(self, builder: Builder, starts: Sequence[int]) -> None:
        self.builder, self.starts = builder, starts

    def pattern(self, link: Link) -> tuple[float | None, ...]:
        """Which entries of a link's part of `turn` are exactly zero."""
        free = link.v.start in self.starts and link.joint.nv == 6
        return (0.0, 0.0, 0.0, None, None, None) if free else (0.0,) * link.joint.nv

    def turn(self, middle: Place, going: Place, turn: Place) -> None:
        """w x u of velocities in the middle of the step, where that goes on: how axes that turn change velocities."""

        def trace(sketch: Sketch) -> None:
            v, on = vector(*sketch.load("v", "lane", [None] * 6)), sketch.load("going", "lane", [None])[0]
            out = sketch.argument("turn", "lane")
            old = [sketch.entry(out, k) for k in range(6)]
            for k, x in enumerate(cross(v[:3], v[3:]), 3):
                sketch.store(out, k, select(less(0.0, on), x, old[k]))

        self._run(trace, [middle, going, turn], [True, False, True])

    def end(self, turn: Place, result: Place) -> None:
        """Accelerations that lead to velocities along the axes that are kept."""

        def trace(sketch: Sketch) -> None:
            c, out = sketch.load("turn", "lane", [0.0, 0.0, 0.0, None, None, None]), sketch.argument("result", "row")
            for k in (3, 4, 5):
                sketch.store(out, k, sketch.entry(out, k) + c[k])

        self._run(trace, [turn, result], [True, True])

    def _run(self, trace: Callable[[Sketch], None], places: Sequence[Place], moving: Sequence[bool]) -> None:
        if self.starts:
            columns = [self.starts if moves else [0] * len(self.starts) for moves in moving]
            run_over(self.builder, trace, *zip(places, columns, strict=True))
