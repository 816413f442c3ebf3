"""A tree with constraints by kernels: frames of links, rows of constraints, and the sweeps that carry unknowns."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from anyjoint.codegen import Array, Schedule, Store, rows_and_numbers
from anyjoint.codegen.builder import Builder
from anyjoint.codegen.kernel import Kernel
from anyjoint.dynamics.algorithm import Algorithm
from anyjoint.dynamics.carried import CARRIED, CARRIED_AT_REST
from anyjoint.dynamics.carried_hybrid import CARRIED_HYBRID
from anyjoint.dynamics.constraint_jacobian import PROJECT
from anyjoint.dynamics.implicit import CARRIED_IMPLICIT, CARRIED_NEWTON
from anyjoint.dynamics.link_rows import MOVING_FRAMES, STANDING_FRAMES
from anyjoint.dynamics.pushed import PUSHED
from anyjoint.symbolic import Graph
from anyjoint.tree.closures import ClosedPlan

from .classes import Tracer
from .constrained import Question
from .feeds import Feeds
from .layout import Layout
from .numbers import Numbers
from .push_kernels import PushKernels
from .row_kernels import HUB, WORLD, RowKernels
from .seen import SEEN
from .setup import Rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .workshop import Workshop


def constrained_kernels(
    workshop: Workshop, question: Question, inputs: Sequence[str], closed: ClosedPlan, numbers: Numbers
) -> tuple[Schedule, list[Rows]]:
    """The answer to a question about a tree with constraints."""
    mechanism, plan = workshop.mechanism, closed.plan
    builder = Builder(rows_and_numbers(*inputs, "result"))
    sweep = MOVING_FRAMES if "v" in inputs else STANDING_FRAMES
    worldly = not all(workshop.relative) or workshop.pushes
    unused = (() if worldly else WORLD) + (HUB if not any(workshop.relative) else ())
    wanted = replace(sweep, results=tuple(name for name in sweep.results if name not in unused))
    seen = Tracer(plan, numbers, workshop.joints, wanted)
    rows = RowKernels(builder, mechanism, closed, workshop.relative, numbers, workshop.row_programs, seen, question)
    needed = None if workshop.pushes else rows.needed
    frames = Layout(seen, builder, results_in_work=True, needed=needed)
    frames.add_runs()
    made = [*frames.rows, *rows.add_runs(frames.results, _end(frames.rows))]
    if workshop.pushes:
        made += PushKernels(
            builder, mechanism, closed, workshop.found(), numbers, workshop.push_programs, frames, rows.feeds,
            _end(made), question,
        ).rows  # fmt: skip
    if question.answer == "errors":
        return builder.schedule(), made
    # At rest the ground does not push, though the numbers are those of a mechanism that falls.
    still = numbers.at_rest() if question.still else numbers
    sweeps = _sweeps(question)
    if question.prescribed:
        plan = replace(plan, links=tuple(x._replace(prescribed=x.body in question.prescribed) for x in plan.links))
    tracer = Tracer(plan, still, workshop.joints, sweeps, rows.feeds.patterns())
    sorted_later = question.answer == "multipliers"
    carried = Layout(tracer, builder, sorted_later, _end(made), rows.feeds.rooms)
    carried.add_runs()
    if sorted_later:
        _sort(builder, closed, mechanism.constraints, carried.results["multipliers"])
    return builder.schedule(), made + carried.rows


def _sweeps(question: Question) -> Algorithm:
    """The sweeps behind the rows, with the results that are asked for."""
    if question.answer == "entries":
        return PROJECT
    if question.answer == "hybrid":
        return CARRIED_HYBRID
    if question.implicit:
        sweeps, result = CARRIED_NEWTON if question.given else CARRIED_IMPLICIT, "answer"
    else:
        sweeps, result = CARRIED_AT_REST if question.still else CARRIED, "qdd"
    if question.answer == "both":  # multipliers in the order of the closures
        return replace(sweeps, results=(result, "multipliers"))
    return replace(sweeps, results=("multipliers" if question.answer == "multipliers" else result,))


def push_kernels(
    workshop: Workshop, inputs: Sequence[str], closed: ClosedPlan, numbers: Numbers
) -> tuple[Schedule, list[Rows]]:
    """Generalized forces of the workshop's pushes."""
    builder = Builder(rows_and_numbers(*inputs, "result"))
    wanted = replace(MOVING_FRAMES, results=SEEN)
    frames = Layout(Tracer(closed.plan, numbers, workshop.joints, wanted), builder, results_in_work=True)
    frames.add_runs()
    feeds = Feeds.of(builder, closed.plan.links)
    made = frames.rows + PushKernels(
        builder, workshop.mechanism, closed, workshop.found(), numbers, workshop.push_programs, frames, feeds,
        _end(frames.rows),
    ).rows  # fmt: skip
    collected = Layout(
        Tracer(closed.plan, numbers, workshop.joints, PUSHED, feeds.patterns()), builder, False, _end(made), feeds.rooms
    )
    collected.add_runs()
    return builder.schedule(), made + collected.rows


def _end(rows: Sequence[Rows]) -> int:
    return max((row.end for row in rows), default=0)


def _sort(builder: Builder, closed: ClosedPlan, constraints: Sequence[object], places: Sequence[int]) -> None:
    """Multipliers in the order of the constraints, from that of the closures."""
    work, result, at = builder.work_array, builder.place("result").array, 0
    calls: dict[int, tuple[list[int], list[int]]] = {}
    for k, constraint in enumerate(constraints):
        count = constraint.count  # type: ignore[attr-defined]
        given, wanted = calls.setdefault(count, ([], []))
        given.append(places[closed.where[k]])
        wanted.append(at)
        at += count
    for count, (given, wanted) in calls.items():
        graph = Graph()
        nodes = [graph.variable("y") for _ in range(count)]
        stores = tuple(Store(node, 1, k) for k, node in enumerate(nodes))
        arrays = (Array("y", "lane"), Array("result", "row"))
        kernel = Kernel(graph, arrays, {node.id: (0, k) for k, node in enumerate(nodes)}, stores)
        builder.run(builder.kernel(kernel), (work, given), (result, wanted))
