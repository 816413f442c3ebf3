"""Both ends of a step that is seen from between them: the states there, as joints go on within it."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from anyjoint.codegen import Place
from anyjoint.codegen.builder import Builder, Values
from anyjoint.joints import FreeQuaternion, SphericalQuaternion
from anyjoint.mechanism import Mechanism
from anyjoint.scalar import Scalar
from anyjoint.spatial import cross, vector
from anyjoint.tree.plan import Link, Plan

from .sketch import Sketch, run_over

BALLS = (SphericalQuaternion, FreeQuaternion)  # beside joints whose rates are their velocities


class StepEnds:
    """Adds runs that go to an end of a step; `state` is where they leave it, of the links of some trees."""

    def __init__(
        self, builder: Builder, mechanism: Mechanism, plan: Plan, links: Collection[int], seen: Place
    ) -> None:
        """`seen` is where the coordinates stand from which both halves of the step go."""
        self.builder, self.plan, self.links, self.seen, self.nv = builder, plan, links, seen, mechanism.nv
        self.v, self.h = builder.place("v"), builder.place("h")
        self.middle, self.end, self.qdd = (builder.room(self.nv) for _ in range(3))
        self.state = {"q": builder.room(mechanism.nq), "v": builder.room(self.nv)}

    def go_to_begin(self) -> None:
        """Half a step back along the velocities that are given."""
        self._go_to(-0.5, self.v)

    def go_to_end(self, a: Place, turn: Place) -> None:
        """Half a step on along velocities that change by accelerations a; leaves those in the middle, and `qdd`."""

        def ahead(x: Values) -> dict[str, Scalar]:
            return {"middle": x["v"] + 0.5 * x["h"] * x["a"], "end": x["v"] + x["h"] * x["a"], "qdd": x["a"]}

        made = {"middle": self.middle, "end": self.end, "qdd": self.qdd}
        self.builder.pointwise(self.nv, {"v": self.v, "a": a}, {"h": self.h}, made, ahead)
        self._keep_axes(a, turn)
        self._go_to(0.5, self.end)

    def _keep_axes(self, a: Place, turn: Place) -> None:
        """The same of free bodies: velocities keep to the axes in the middle of the step, accelerations do not."""

        def trace(sketch: Sketch) -> None:
            v = vector(*sketch.load("v", self.builder.kind(self.v), [None] * 6))
            b, c = (vector(*sketch.load(name, "lane", [None] * 6)) for name in ("a", "turn"))
            h = sketch.load("h", self.builder.kind(self.h), [None])[0]
            faster = b[3:] + c[3:]
            w, u = v[:3] + 0.5 * h * b[:3], v[3:] + 0.5 * h * faster
            for name, values in (("middle", u), ("end", v[3:] + h * faster), ("qdd", faster - cross(w, u))):
                out = sketch.argument(name, "lane")
                for k, x in enumerate(values, 3):
                    sketch.store(out, k, x)

        links = [self.plan.links[i] for i in self.links]
        at = [link.v.start for link in links if isinstance(link.joint, FreeQuaternion)]
        if at:
            moved = ((place, at) for place in (self.middle, self.end, self.qdd))
            run_over(self.builder, trace, (self.v, at), (a, at), (turn, at), (self.h, [0] * len(at)), *moved)

    def _go_to(self, share: float, v: Place) -> None:
        """A share of the step along velocities from where it is seen."""
        groups: dict[tuple[bool, int, int], list[Link]] = {}
        for link in self.plan.links:
            groups.setdefault((isinstance(link.joint, BALLS), link.joint.nq, link.joint.nv), []).append(link)
        for links in groups.values():
            self._go_together(links, share, v)

    def _go_together(self, links: Sequence[Link], share: float, v: Place) -> None:
        joint = links[0].joint

        def trace(sketch: Sketch) -> None:
            q = sketch.load("q", self.builder.kind(self.seen), [None] * joint.nq)
            u = sketch.load("v", self.builder.kind(v), [None] * joint.nv)
            h = sketch.load("h", self.builder.kind(self.h), [None])[0]
            ball = isinstance(joint, BALLS)
            rates = joint.rate(q, u) if ball else u if joint.nq == joint.nv else [0.0] * joint.nq  # of other trees
            to = [x + share * h * rate for x, rate in zip(q, rates, strict=True)]
            for name, values in (("q", to), ("v", joint.carry(q, to, u) if ball else u)):
                out = sketch.argument(name, "lane")
                for k, x in enumerate(values):
                    sketch.store(out, k, x)

        at_q, at_v = [link.q.start for link in links], [link.v.start for link in links]
        ends = (self.state["q"], at_q), (self.state["v"], at_v)
        run_over(self.builder, trace, (self.seen, at_q), (v, at_v), (self.h, [0] * len(links)), *ends)
