"""What a mechanism brings to a step: accelerations, rates of coordinates, changes of chart, forces."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from anyjoint.codegen import Kernel, Place, Schedule, Store
from anyjoint.codegen.builder import Builder, Embedded
from anyjoint.frozen import frozen
from anyjoint.joints import Joint
from anyjoint.joints.parameters import bind, parameters
from anyjoint.joints.spring import Spring
from anyjoint.mechanism import Mechanism
from anyjoint.scalar import Scalar, absolute, less, select
from anyjoint.symbolic import Graph, Node

if TYPE_CHECKING:
    from anyjoint.forces.program import ForceProgram
    from anyjoint.mechanism import Body
    from anyjoint.trace.workshop import Trace

JUMP = 1e-2  # coordinates that change by more when charts do are others, not the same at unit length
Nodes = list[Node]
Traced = Callable[[Joint, Nodes, Nodes], tuple[Sequence[Scalar], Sequence[Scalar]] | None]


@frozen
class JointGroup:
    """Bodies whose joints are the same."""

    joint: Joint
    bodies: tuple[Body, ...]


def joint_groups(mechanism: Mechanism) -> list[JointGroup]:
    """Bodies by equal joints, in the order of their first body."""
    groups: dict[Hashable, list[Body]] = {}
    for body in mechanism.bodies:
        if body.joint.nq:
            groups.setdefault(joint_key(body.joint), []).append(body)
    return [JointGroup(bodies[0].joint, tuple(bodies)) for bodies in groups.values()]


def damped_groups(groups: Sequence[JointGroup]) -> list[JointGroup]:
    """Of joints whose dampers feel other speeds than velocities, those bodies that have some."""
    made = [
        replace(group, bodies=tuple(body for body in group.bodies if Spring.of(body)))
        for group in groups
        if not group.joint.speeds_are_velocities
    ]
    return [group for group in made if group.bodies]


def joint_key(joint: Joint) -> Hashable:
    """What makes two joints the same: they are equal, or one object where they cannot be compared."""
    try:
        hash(joint)
    except TypeError:
        return id(joint)
    return type(joint), joint


@frozen
class Projection:
    """Programs that take positions and velocities back onto constraints, and where their numbers begin."""

    position: Schedule
    velocity: Schedule
    starts: tuple[int, int]


def projection_of(traces: Sequence[Trace]) -> Projection | None:
    """Of traces whose numbers stand one behind the other: dynamics, then corrections of positions and velocities."""
    if len(traces) == 1:
        return None
    dynamics, position, velocity = traces
    return Projection(position.schedule, velocity.schedule, (dynamics.count, dynamics.count + position.count))


def built_in_joints(mechanism: Mechanism) -> tuple[Joint, ...]:
    """Joints whose numbers are built into the code of rates and charts: another number needs other code."""
    return tuple(mechanism.bodies[k].joint for k in numbered_bodies(mechanism))


def numbered_bodies(mechanism: Mechanism) -> list[int]:
    """Bodies in the rates and charts of whose joints there are numbers."""
    numbered = [body for body in mechanism.bodies if body.joint.nq and parameters(body.joint)]
    return [body.index for body in numbered if moves_otherwise(body.joint) or has_chart(body.joint)]


class Physics:
    """Adds runs for accelerations, rates, charts and projections to a step."""

    def __init__(
        self,
        builder: Builder,
        mechanism: Mechanism,
        dynamics: Schedule,
        forces: ForceProgram | None = None,
        settings: Sequence[Place] = (),
        forced: bool = False,
        damping: Place | None = None,
        projection: Projection | None = None,
        step: Place | None = None,
        feels: bool = False,
        pushing: tuple[Schedule, int] | None = None,
        shown: int = 0,
        own: Mapping[int, Place] | None = None,
        rubs: bool = False,
    ) -> None:
        self.builder, self.mechanism, self.forces = builder, mechanism, forces
        self.nq, self.nv = mechanism.nq, mechanism.nv
        self.settings = settings  # where the numbers of the forces stand
        self.damping = damping  # where those of the mechanism's dampers stand, if power is asked for
        # Where forces are put together; `forced` where a caller adds some of its own.
        self.tau = builder.room(self.nv) if forced or (forces and forces.torques) else None
        self.step = step  # where the length of the step stands, for dynamics that ask for it
        self.feels = feels  # whether dynamics feel forces by themselves
        self.shown = shown  # how many numbers dynamics answer with behind accelerations
        self.rubs = rubs  # whether the first of those is the power of friction
        self.own = own or {}  # where numbers of bodies' joints stand that are not built into rates and charts
        rows = ("q", "v", "t", "result", *(["tau"] if self.tau and (forced or not feels) else []))
        kinds = {"h": builder.kind(step)} if step else {}
        self.dynamics = Embedded(builder, dynamics, (*rows, "qdd"), **kinds)
        if pushing:  # forces by kernels, and where their numbers begin
            self.pushing = Embedded(builder, pushing[0], ("q", "v", "result"))
            self.pushed, self.push_numbers = builder.room(self.nv), builder.place("numbers", pushing[1])
        self.many = pushing is not None
        self.projection = projection
        if projection:
            self.corrections = [
                (Embedded(builder, schedule, ("result", "t")), {"numbers": builder.place("numbers", start)})
                for schedule, start in zip((projection.position, projection.velocity), projection.starts, strict=True)
            ]
        self.groups = joint_groups(mechanism)
        self.damped = damped_groups(self.groups) if damping else []  # whose dampers feel other speeds than velocities
        self.has_rates = any(moves_otherwise(group.joint) for group in self.groups)
        self.has_charts = any(has_chart(group.joint) for group in self.groups)
        self.carries = any(turns_axes(group.joint) for group in self.groups)

    def accelerate(self, q: Place, v: Place, inputs: Place, out: Place, t: Place | None = None) -> None:
        """Accelerations at (q, v, t) in the work array, with the inputs (tau, then signals of forces) at a place."""
        places = {"q": q, "v": v, "tau": self.applied(q, v, inputs), "result": out} | at_time(t)
        if self.step is not None:
            places |= {"h": self.step, "signals": inputs.at(self.nv)}
        self.dynamics.call(places)

    def correct(self, q: Place, v: Place, a: Place, inputs: Place, out: Place, length: Place, t: Place | None) -> None:
        """What corrects accelerations a, where velocities follow them within a length of time."""
        places = {"q": q, "v": v, "qdd": a, "tau": self.applied(q, v, inputs), "h": length, "result": out}
        self.dynamics.call(places | {"signals": inputs.at(self.nv)} | at_time(t))

    def applied(self, q: Place, v: Place, inputs: Place) -> Place:
        """Where the forces stand that dynamics do not feel by themselves."""
        return inputs if self.feels else self.gathered(q, v, inputs)

    def gathered(self, q: Place, v: Place, inputs: Place) -> Place:
        """Where inputs and forces at a state stand, put together."""
        if not (self.tau and self.forces):
            return inputs
        self.builder.copy(self.nv, inputs, self.tau)
        self.add_forces(q, v, inputs, self.tau)
        return self.tau

    def power(self, q: Place, v: Place, inputs: Place, shown: Place | None = None) -> Place | None:
        """Where the power of inputs, forces and dampers stands, as they were put together last; that of friction too,
        where dynamics have shown it."""
        if self.damping is None:
            return None
        tau, out = self.tau if self.tau and self.forces else inputs, self.builder.room(1)
        self.builder.clear(1, out)
        places, power = {"tau": tau, "v": v, "d": self.damping}, power_of_velocities
        if self.damped:
            places["u"], power = self.speeds(q, v), power_of_speeds
        self.builder.pointwise(self.nv, places, {}, {"power": out}, power, accumulate=True)
        if self.rubs and shown:
            self.builder.pointwise(1, {"p": shown}, {}, {"power": out}, lambda x: {"power": x["p"]}, accumulate=True)
        return out

    def speeds(self, q: Place, v: Place) -> Place:
        """Where the speeds stand that dampers feel."""
        out = self.builder.room(self.nv)
        self.builder.copy(self.nv, v, out)
        traced: Traced = lambda joint, qs, vs: ([], joint.speeds(qs, vs))  # noqa: E731
        for group in self.damped:
            run_joints(self.builder, group, traced, (q, v), (q, out), self.own)
        return out

    def add_forces(self, q: Place, v: Place, inputs: Place, tau: Place) -> None:
        """Add the generalized forces of all forces at a state to those at `tau`."""
        if self.forces is None:
            return
        if self.many:
            places = {"q": q, "v": v, "signals": inputs.at(self.nv), "numbers": self.push_numbers}
            self.pushing.call(places | {"result": self.pushed})
            more = lambda x: {"tau": x["tau"] + x["more"]}  # noqa: E731
            self.builder.pointwise(self.nv, {"tau": tau, "more": self.pushed}, {}, {"tau": tau}, more)
            return
        program = self.forces.straight
        loads = {node.id: q.at(k) for k, node in enumerate(program.q)}
        loads |= {node.id: v.at(k) for k, node in enumerate(program.v)}
        loads |= {node.id: place for node, place in zip(program.parameters, self.settings, strict=True)}
        loads |= {node.id: inputs.at(self.nv + k) for k, node in enumerate(program.signals)}
        stores = [(tau.at(k), x) for k, x in program.torques.items()]
        self.builder.straight(program.graph, loads, stores, accumulate=True)

    def rate(self, q: Place, v: Place, out: Place) -> Place:
        """Where dq/dt stands: the velocities themselves, or `out` where a joint turns them into something else."""
        if not self.has_rates:
            return v

        def traced(joint: Joint, qs: Nodes, vs: Nodes) -> tuple[Sequence[Scalar], Sequence[Scalar]]:
            return joint.rate(qs, vs), []

        for group in self.groups:
            run_joints(self.builder, group, traced, (q, v), (out, v), self.own)
        return out

    def carry(self, q: Place, to: Place, v: Place, out: Place) -> None:
        """Velocities at q as they are seen at `to`."""
        self.builder.copy(self.nv, v, out)
        for group in self.groups:
            if turns_axes(group.joint):
                self._carry_group(group, q, to, v, out)

    def _carry_group(self, group: JointGroup, q: Place, to: Place, v: Place, out: Place) -> None:
        graph, joint, places = Graph(), group.joint, (q, to, v, out)
        (first, vs), (second, _) = joint_variables(graph, joint), joint_variables(graph, joint)
        loads = {node.id: (at, k) for at, nodes in enumerate((first, second, vs)) for k, node in enumerate(nodes)}
        stores = tuple(Store(x, 3, k) for k, x in enumerate(joint.carry(first, second, vs)))
        arrays = tuple(self.builder.arrays[place.array] for place in places)
        kernel = self.builder.kernel(Kernel(graph, arrays, loads, stores))
        begins = [[getattr(body, name).start for body in group.bodies] for name in ("q", "q", "v", "v")]
        self.builder.run(kernel, *((p.array, [p.offset + x for x in xs]) for p, xs in zip(places, begins, strict=True)))

    def rechart(self, q: Place, v: Place) -> None:
        """Rewrite (q, v) where a joint wants to [RM section 4.7]."""
        for group in self.groups:
            if has_chart(group.joint):
                run_joints(self.builder, group, lambda joint, qs, vs: joint.chart(qs, vs), (q, v), (q, v), self.own)

    def settle(self, q: Place, v: Place, t: Place | None = None, last: Place | None = None) -> None:
        """The state after a step as it should be: in the charts that joints want, and on the constraints.

        `last` is the length of the last step, for steps that look back: there is none to look back to in other charts.
        """
        if last and self.has_charts:
            self._forget_at_jumps(q, v, last)
        else:
            self.rechart(q, v)
        self.project(q, v, t)

    def project(self, q: Place, v: Place, t: Place | None = None) -> None:
        """Take a state back onto the constraints, if there are some that want it."""
        if not self.projection:
            return
        builder, d = self.builder, self.builder.room(self.nv)
        (position, first), (velocity, second) = self.corrections
        position.call({"q": q, "result": d, **first} | at_time(t))
        change = self.rate(q, d, builder.room(self.nq) if self.has_rates else d)
        builder.pointwise(self.nq, {"q": q, "d": change}, {}, {"q": q}, lambda x: {"q": x["q"] + x["d"]})
        self.rechart(q, v)
        velocity.call({"q": q, "v": v, "result": d, **second} | at_time(t))
        builder.pointwise(self.nv, {"v": v, "d": d}, {}, {"v": v}, lambda x: {"v": x["v"] + x["d"]})

    def _forget_at_jumps(self, q: Place, v: Place, last: Place) -> None:
        """Change charts; where coordinates jump, the last step has no length."""
        builder, before, far = self.builder, self.builder.room(self.nq), self.builder.room(1)
        builder.copy(self.nq, q, before)
        builder.clear(1, far)
        self.rechart(q, v)
        jumped = lambda x: {"far": absolute(x["q"] - x["before"])}  # noqa: E731
        builder.pointwise(self.nq, {"q": q, "before": before}, {}, {"far": far}, jumped, accumulate=True)
        unless_far = lambda x: {"last": select(less(x["far"], JUMP), x["last"], 0.0)}  # noqa: E731
        builder.pointwise(1, {"last": last}, {"far": far}, {"last": last}, unless_far)


def power_of_velocities(x: Mapping[str, Scalar]) -> dict[str, Scalar]:
    """That of a force, and of a damper that feels the velocity."""
    return {"power": x["v"] * (x["tau"] - x["d"] * x["v"])}


def power_of_speeds(x: Mapping[str, Scalar]) -> dict[str, Scalar]:
    """The same where it feels another speed u."""
    return {"power": x["v"] * x["tau"] - x["d"] * (x["u"] * x["u"])}


def at_time(t: Place | None) -> dict[str, Place]:
    """Where programs that depend on time find it."""
    return {} if t is None else {"t": t}


def run_joints(
    builder: Builder, group: JointGroup, traced: Traced, inputs: tuple[Place, Place], outputs: tuple[Place, Place],
    own: Mapping[int, Place],
) -> None:  # fmt: skip
    """Run one joint's expressions over all bodies of a group; `own` is where numbers of their joints stand, by body."""
    graph, joint = Graph(), group.joint
    q, v = joint_variables(graph, joint)
    numbers = [own[body.index] for body in group.bodies if body.index in own]
    p = [graph.variable("p", x.domain, x.bounds) for x in parameters(joint)] if numbers else []
    result = traced(bind(joint, p) if p else joint, q, v)
    places = list(dict.fromkeys([*inputs, *outputs]))
    loads = {node.id: (places.index(inputs[0]), k) for k, node in enumerate(q)}
    loads |= {node.id: (places.index(inputs[1]), k) for k, node in enumerate(v)}
    loads |= {node.id: (len(places), k) for k, node in enumerate(p)}
    stores = []
    for place, values in zip(outputs, result or ((), ()), strict=True):
        for k, x in enumerate(values):
            stores.append(Store(graph.as_node(x), places.index(place), k))
    arrays = tuple(builder.arrays[place.array] for place in (*places, *numbers[:1]))
    kernel = builder.kernel(Kernel(graph, arrays, loads, tuple(stores)))
    begins = {inputs[0]: "q", outputs[0]: "q", inputs[1]: "v", outputs[1]: "v"}
    columns = [
        (place.array, [place.offset + getattr(body, begins[place]).start for body in group.bodies]) for place in places
    ]
    columns += [(numbers[0].array, [place.offset for place in numbers])] if numbers else []
    builder.run(kernel, *columns)


def joint_variables(graph: Graph, joint: Joint) -> tuple[Nodes, Nodes]:
    """Variables for a joint's coordinates and velocities."""
    q = [graph.variable("q", c.domain) for c in joint.coordinates]
    return q, [graph.variable("v") for _ in range(joint.nv)]


def moves_otherwise(joint: Joint) -> bool:
    """Whether dq/dt is not simply v."""
    q, v = joint_variables(Graph(), joint)
    rate = list(joint.rate(q, v))
    return len(rate) != len(v) or any(getattr(x, "id", None) != y.id for x, y in zip(rate, v, strict=True))


def turns_axes(joint: Joint) -> bool:
    """Whether the axes that its velocities are along turn while it goes straight on."""
    q, v = joint_variables(Graph(), joint)
    return joint.carry(q, q, v) is not v


def has_chart(joint: Joint) -> bool:
    """Whether the joint ever rewrites its coordinates."""
    q, v = joint_variables(Graph(), joint)
    return joint.chart(q, v) is not None
