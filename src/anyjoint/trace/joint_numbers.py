"""Numbers of joints for code that runs their functions, rates and charts, where it is differentiated by them."""

from __future__ import annotations

from collections.abc import Collection

from anyjoint.joints.parameters import parameters
from anyjoint.symbolic import Graph
from anyjoint.tree.links import RAW
from anyjoint.tree.plan import Plan

from .numbers import Numbers
from .setup import Rows, Setup


def raw_places(plan: Plan, numbers: Numbers) -> dict[int, int]:
    """Where the numbers of a body's joint begin among all raw ones, by body."""
    return {link.body: start + len(RAW) for link, start in zip(plan.links, numbers.starts(), strict=False)}


def handed_on(plan: Plan, bodies: Collection[int], begin: int) -> tuple[list[Rows], dict[int, int]]:
    """Set-ups that give the numbers of these bodies' joints as they are, from a place on; and where, by body."""
    made, places = [], {}
    for i, link in enumerate(plan.links):
        if link.body in bodies:
            graph = Graph()
            raw = {graph.variable("p").id: len(RAW) + k for k in range(len(parameters(link.joint)))}
            made.append(Rows(Setup(graph, raw, tuple(raw)), (i,), begin))
            places[link.body] = begin
            begin = made[-1].end
    return made, places
