"""Free bodies within a step: their velocities are along their own axes, which turn while they go straight on.

Within a step, velocities are kept along the axes at its beginning, where nothing turns; at its end they are seen along
the axes as they are then. So a body that flies and spins goes where it is thrown.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from anyjoint.codegen import Place
from anyjoint.codegen.builder import Builder
from anyjoint.scalar import less, select
from anyjoint.spatial import Pose, cross, dot, vector
from anyjoint.tree.plan import Link

from .sketch import Sketch


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
            old = self._again(sketch, out)
            for k, x in enumerate(cross(v[:3], v[3:]), 3):
                sketch.store(out, k, select(less(0.0, on), x, old[k]))

        self._run(trace, [middle, going, turn], [True, False, True])

    def end(self, v: Place, h: Place, turn: Place, result: Place) -> None:
        """Accelerations that lead to velocities along the axes at the end of the step."""

        def trace(sketch: Sketch) -> None:
            before, h = vector(*sketch.load("v", "row", [None] * 6)), sketch.load("h", "row", [None])[0]
            c = vector(*sketch.load("turn", "lane", [0.0, 0.0, 0.0, None, None, None]))
            out = sketch.argument("result", "row")
            a = vector(*self._again(sketch, out))
            after = before + h * (a + c)
            half = h / 2 * after[:3]
            # As the quaternion q' = q + h/2 (q + h/2 q w) w of the step turns.
            R = Pose.quaternion(1 - dot(half, half), *half).R
            for k, x in enumerate((R.T @ after[3:] - before[3:]) / h):
                sketch.store(out, 3 + k, x)

        self._run(trace, [v, h, turn, result], [True, False, True, True])

    @staticmethod
    def _again(sketch: Sketch, argument: int) -> list[Any]:
        """Entries of an argument that is written, too: loads come before stores."""
        made = [sketch.graph.variable("x") for _ in range(6)]
        sketch.loads |= {node.id: (argument, k) for k, node in enumerate(made)}
        return made

    def _run(self, trace: Callable[[Sketch], None], places: Sequence[Place], moving: Sequence[bool]) -> None:
        if not self.starts:
            return
        sketch = Sketch()
        trace(sketch)
        kernel, _ = sketch.finish(self.builder)
        columns = [[place.offset + (at if moves else 0) for at in self.starts]
                   for place, moves in zip(places, moving, strict=True)]  # fmt: skip
        self.builder.run(kernel, *((place.array, column) for place, column in zip(places, columns, strict=True)))
