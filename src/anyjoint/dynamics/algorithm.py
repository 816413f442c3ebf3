"""Algorithms as short lists of sweeps over a tree, and how they run.

A sweep is a function of one link's record and its parent's. Messages between them live for one sweep: outward, a link
reads what its parent has set in the same sweep; inward, it reads the sum of what its children have handed in. What is
kept from one sweep to the next stays in the link's own record. The runner below serves floats (the oracle) and graph
nodes (one straight-line program); kernels obey the same rules (see trace/), with the same errors.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from typing import Any, Literal

from anyjoint.errors import AlgorithmError
from anyjoint.frozen import frozen
from anyjoint.tree.record import Record

SweepFunction = Callable[[Record, "Parent"], None]
# Over which links: in inner frames; the same with inertia moved where it costs least; every body in its own frame.
Over = Literal["links", "regrouped", "bodies"]
# Derivatives of joints that sweeps read: along their velocities, or along their coordinates.
Along = Literal["velocities", "coordinates"]


@frozen
class Sweep:
    """A function of (link, parent), run outward from the root or inward to it."""

    direction: Literal["outward", "inward"]
    function: SweepFunction


@frozen
class Input:
    """An input that has not one number per velocity: `count` for all links together, or for each of them."""

    name: str
    count: int
    each: bool = False


@frozen
class Algorithm:
    """A short list of sweeps; `results` are the links' values that a caller wants, `totals` those that are summed."""

    name: str
    sweeps: tuple[Sweep, ...]
    inputs: tuple[str, ...]
    results: tuple[str, ...] = ()
    totals: tuple[str, ...] = ()
    over: Over = "links"
    gravity: bool = True  # whether the ground accelerates against gravity
    masses: bool = True  # whether sweeps read inertias
    siblings: bool = False  # whether sweeps tell a link's children apart, by `elders`
    partials: Along | None = None
    factors: bool = False  # whether sweeps read the factors of joints, `pieces`
    sized: tuple[Input, ...] = ()  # those of the inputs that have not one number per velocity


def algorithm(
    name: str,
    *sweeps: tuple[Literal["outward", "inward"], SweepFunction],
    inputs: Sequence[str | Input],
    results: Sequence[str] = (),
    totals: Sequence[str] = (),
    over: Over = "links",
    gravity: bool = True,
    masses: bool = True,
    siblings: bool = False,
    partials: Along | None = None,
    factors: bool = False,
) -> Algorithm:
    """An algorithm from (direction, function) pairs."""
    for direction, _ in sweeps:
        if direction not in ("outward", "inward"):
            raise AlgorithmError(f"{name}: a sweep goes {direction!r}; expected 'outward' or 'inward'")
    sized = tuple(x for x in inputs if isinstance(x, Input))
    names = tuple(x.name if isinstance(x, Input) else x for x in inputs)
    for kind, given in (("input", names), ("result or total", (*results, *totals))):
        if twice := [x for k, x in enumerate(given) if x in given[:k]]:
            raise AlgorithmError(f"{name}: the {kind} {twice[0]!r} is declared twice")
    made = tuple(Sweep(direction, function) for direction, function in sweeps)
    rows = names, tuple(results), tuple(totals)
    return Algorithm(name, made, *rows, over, gravity, masses, siblings, partials, factors, sized)


class Parent:
    """The parent's record as a sweep may see it: what the same sweep has set, and a place to hand things in."""

    def __init__(self, record: Record, handed: set[str]) -> None:
        self._record, self._handed = record, handed

    def __getattr__(self, name: str) -> Any:
        if not self._record.has_said(name):
            raise AlgorithmError(unset_by_parent(name))
        return getattr(self._record, name)

    def add(self, name: str, value: Any) -> None:
        """Hand a value inward."""
        self._record.add(name, value)
        self._handed.add(name)


def unset_by_parent(name: str) -> str:
    """What is wrong with reading a value of the parent that is not there."""
    return f"a sweep reads {name!r} of the parent, which the same sweep has not set, nor has the ground it"


def check_sums(asked: Iterable[str], handed: Container[str]) -> None:
    """Refuse a sweep that has asked for sums which none of its links has handed in."""
    for name in sorted(asked):
        if name not in handed:
            raise AlgorithmError(f"a sweep sums {name!r} of the children, which the same sweep has not handed in")


def run_sweeps(algorithm: Algorithm, records: Sequence[Record], parents: Sequence[int], root: Record) -> None:
    """Run every sweep over the tree; links are ordered parents first, parent -1 is the ground."""
    for sweep in algorithm.sweeps:
        for record in records:
            record.forget_messages()
        handed: set[str] = set()
        order = range(len(records)) if sweep.direction == "outward" else range(len(records) - 1, -1, -1)
        for i in order:
            sweep.function(records[i], Parent(records[parents[i]] if parents[i] >= 0 else root, handed))
        check_sums({name for record in records for name in record.asked()}, handed)
