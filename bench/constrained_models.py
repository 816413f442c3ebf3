"""Mechanisms with constraints in the neutral form, with states on the constraints."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from bench import models
from bench.models import Array, Body, Model

NAMES = ("ANYmal, 4 feet x 3 rows", "Talos, 2 feet x 6 rows", "chain of 40 four-bars", "20 hinges, end pinned")
STATES = 16  # few, so that a round of slow engines is short beside what a busy machine takes away
FEET = {"ANYmal": 3, "Talos": 6}  # rows per foot


@dataclass(frozen=True)
class Row:
    """A point (3 rows) or a frame (6 rows) of one body held to one of another; -1 is the ground."""

    rows: int
    first: int
    second: int
    poses: Array  # (2, 4, 4), on the two bodies


@dataclass(frozen=True)
class Case:
    """A model, its constraints and states that keep them."""

    name: str
    model: Model
    held: tuple[Row, ...]
    q: Array
    v: Array
    tau: Array

    def save(self, path: Path) -> None:
        """Write everything into one file."""
        self.model.save(path.with_suffix(".json"))
        ends = np.array([[row.rows, row.first, row.second] for row in self.held])
        poses = np.array([row.poses for row in self.held])
        np.savez(path, name=self.name, ends=ends, poses=poses, q=self.q, v=self.v, tau=self.tau)


def load(path: Path) -> Case:
    """Read what `Case.save` wrote."""
    with np.load(path) as file:
        held = tuple(Row(*map(int, ends), poses) for ends, poses in zip(file["ends"], file["poses"], strict=True))
        model = models.load(path.with_suffix(".json"))
        return Case(str(file["name"]), model, held, file["q"], file["v"], file["tau"])


def four_bars(count: int) -> Case:
    """Upright rods of 1 m on the ground, neighbours joined by a coupler: it moves as a parallelogram."""
    bodies, held = [], []
    for k in range(count + 1):
        bodies.append(_rod(f"upright {k}", -1, (float(k), 0.0, 0.0), 2))
        if k < count:
            bodies.append(_rod(f"coupler {k}", len(bodies) - 1, (0.0, 0.0, 1.0), 0))
    for k in range(count):
        held.append(Row(3, 2 * k + 1, 2 * k + 2, np.array([_shift(1, 0, 0), _shift(0, 0, 1)])))
    model = Model(f"{count} four-bars", tuple(bodies))
    rng, sign = np.random.default_rng(0), np.array([1.0 if body.parent < 0 else -1.0 for body in bodies])
    angle, speed = rng.uniform(-0.9, 0.9, (2, STATES, 1))
    return Case(f"chain of {count} four-bars", model, tuple(held), angle * sign, speed * sign, _forces(model))


def pinned_chain() -> Case:
    """RC20 with its tip held to where it is at the first state; states are assembled later."""
    model = models.chain("RC20")
    q = np.random.default_rng(1).uniform(-1, 1, (STATES, model.nq))
    held = Row(3, 19, -1, np.array([_shift(0.2, 0, 0), np.full((4, 4), np.nan)]))
    return Case(NAMES[3], model, (held,), q, np.random.default_rng(2).normal(size=q.shape), _forces(model))


def robot(folder: Path, name: str) -> Case:
    """A robot on its feet, from what `bench.robots` wrote; anchors and states are found later."""
    model = models.load(folder / f"{name}.json")
    feet = json.loads((folder / f"{name}-feet.json").read_text(encoding="utf-8"))
    held = tuple(Row(FEET[name], k, -1, np.array([T, np.full((4, 4), np.nan)])) for k, T in feet)
    rng = np.random.default_rng(3)
    q = 0.2 * rng.normal(size=(STATES, model.nq))
    q[:, 0] += 1.0
    q[:, :4] /= np.linalg.norm(q[:, :4], axis=1, keepdims=True)
    full = next(case for case in NAMES if case.startswith(name))
    return Case(full, model, held, q, rng.normal(size=(STATES, model.nv)), _forces(model))


def anchored(case: Case, poses: Array) -> Case:
    """Ends on the ground put to where the bodies' ends are, for poses of all bodies at the first state."""
    held = []
    for row in case.held:
        there = poses[row.first] @ row.poses[0]
        if row.rows == 3:
            there = _shift(*there[:3, 3])  # a point has no axes
        held.append(replace(row, poses=np.array([row.poses[0], there])) if row.second < 0 else row)
    return replace(case, held=tuple(held))


def _forces(model: Model) -> Array:
    return np.random.default_rng(4).normal(size=(STATES, model.nv))


def _rod(name: str, parent: int, at: Any, along: int) -> Body:
    tensor = np.diag([1e-3 if k == along else 1 / 12 for k in range(3)])
    com = tuple(0.5 if k == along else 0.0 for k in range(3))
    placement = tuple(map(tuple, _shift(*at).tolist()))
    return Body(name, parent, "revolute", (0.0, 1.0, 0.0), placement, 1.0, com, tuple(map(tuple, tensor.tolist())))


def _shift(x: float, y: float, z: float) -> Array:
    T = np.eye(4)
    T[:3, 3] = x, y, z
    return T
