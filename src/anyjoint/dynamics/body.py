"""What a sweep sees of one body, and how a list of sweeps runs over a tree.

The same runner serves floats (the oracle) and graph nodes (one straight-line program).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from anyjoint.spatial import BlockInertia, Matrix, Pose, Vector, as_matrix, zeros


class Body:
    """A record that sweeps read and write; values handed inward by the children are summed on the way.

    Given before the first sweep: `A` (parent to the joint's working frame), `W` (working frame to body), `S_A`,
    `S_B`, `c` (the joint's Jacobian and Sdot*qdot in the working frame), `J` (rigid inertia), `qd`, `tau`, ...
    """

    def __init__(self, **values: Any) -> None:
        self.__dict__.update(values)
        self._sums: dict[str, Any] = {}

    A: Pose
    W: Pose
    S_A: Matrix
    S_B: Matrix
    c: Vector
    J: BlockInertia
    qd: Vector
    qdd: Vector
    Sdot_x: Vector
    prescribed: bool
    slot: int

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"no sweep has given this body a value {name!r} yet")

    def add(self, name: str, value: Any) -> None:
        """Hand a value inward to this body."""
        self._sums[name] = self._sums[name] + value if name in self._sums else value

    def plus(self, name: str, own: Any) -> Any:
        """The body's own value plus what its children have handed in."""
        return own + self._sums[name] if name in self._sums else own


SweepFunction = Callable[[Any, Any], None]


@dataclass(frozen=True)
class Sweep:
    """A function of (body, parent), run outward from the root or inward to it."""

    direction: Literal["outward", "inward"]
    function: SweepFunction


@dataclass(frozen=True)
class Algorithm:
    """A short list of sweeps; `results` are the body values that a caller wants."""

    name: str
    sweeps: tuple[Sweep, ...]
    results: tuple[str, ...]
    inputs: tuple[str, ...] = ("q", "v")
    siblings: bool = False  # whether sweeps tell a body's children apart, by `body.slot`


def algorithm(
    name: str,
    *sweeps: tuple[str, SweepFunction],
    results: Sequence[str],
    inputs: Sequence[str],
    siblings: bool = False,
) -> Algorithm:
    """An algorithm from (direction, function) pairs."""
    made = tuple(Sweep(d, f) for d, f in sweeps)  # type: ignore[arg-type]
    return Algorithm(name, made, tuple(results), tuple(inputs), siblings)


def ground(base_acceleration: Vector) -> Body:
    """The record of the ground: at rest, accelerated against gravity."""
    still = {name: zeros(6) for name in ("v", "eta", "y", "z")} | {name: zeros(3, 3) for name in ("Rd", "Rdd", "Omega")}
    still |= {name: zeros(3) for name in ("p", "w", "wdot")}
    return Body(alpha=base_acceleration, acceleration=base_acceleration[3:], R=as_matrix(np.eye(3, dtype=int)), **still)


def run_sweeps(algorithm: Algorithm, bodies: Sequence[Body], parents: Sequence[int], root: Body) -> None:
    """Run every sweep over the tree; bodies are ordered parents first, parent -1 is the ground."""
    for sweep in algorithm.sweeps:
        order = range(len(bodies)) if sweep.direction == "outward" else range(len(bodies) - 1, -1, -1)
        for i in order:
            sweep.function(bodies[i], bodies[parents[i]] if parents[i] >= 0 else root)
