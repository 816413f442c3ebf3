"""Mechanisms in a neutral form that every engine can be built from.

Conventions: bodies are listed parents first; `placement` is the joint frame in the parent body's frame; tensor about
the centre of mass in body axes; twists have the angular part first, in the body's own frame.
Coordinates: revolute and prismatic have one; free (under the ground only) has q = quaternion (w, x, y, z), position;
v = body twist.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]

COORDINATES = {"revolute": (1, 1), "prismatic": (1, 1), "free": (7, 6)}
"""Joint kind -> (number of coordinates, number of velocities)."""

CHAINS = ("RC20", "RC50", "RC100", "RC20-simple", "RC50-simple", "RC100-simple")
ROBOTS = ("UR5", "Panda", "ANYmal", "Talos", "iCub")
PAPER_MODELS = ("TC10", "TC20", "windmill")
"""Joints that no peer has: only anyjoint runs these."""


@dataclass(frozen=True)
class Body:
    """One rigid body and the joint that attaches it to its parent (-1 is the ground)."""

    name: str
    parent: int
    kind: str
    axis: tuple[float, ...]
    placement: tuple[tuple[float, ...], ...]
    mass: float
    com: tuple[float, ...]
    tensor: tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class Model:
    """A tree of bodies under gravity."""

    name: str
    bodies: tuple[Body, ...]
    gravity: tuple[float, ...] = (0.0, 0.0, -9.81)

    @cached_property
    def q_start(self) -> list[int]:
        """First coordinate of each body, and the total at the end."""
        return _starts(COORDINATES[body.kind][0] for body in self.bodies)

    @cached_property
    def v_start(self) -> list[int]:
        """First velocity of each body, and the total at the end."""
        return _starts(COORDINATES[body.kind][1] for body in self.bodies)

    @property
    def nq(self) -> int:
        """Number of coordinates."""
        return self.q_start[-1]

    @property
    def nv(self) -> int:
        """Number of velocities."""
        return self.v_start[-1]

    def save(self, path: Path) -> None:
        """Write as JSON; floats keep every bit."""
        path.write_text(json.dumps(asdict(self)), encoding="utf-8")


def load(path: Path) -> Model:
    """Read what `Model.save` wrote."""
    data = json.loads(path.read_text(encoding="utf-8"))
    bodies = tuple(Body(**{key: _tuples(value) for key, value in body.items()}) for body in data["bodies"])
    return Model(data["name"], bodies, tuple(data["gravity"]))


def chain(name: str) -> Model:
    """A serial chain of hinges by name: RC<n> is generic (all random), RC<n>-simple has many zeros."""
    count, simple = int(name.removeprefix("RC").removesuffix("-simple")), name.endswith("-simple")
    rng = np.random.default_rng(count)
    link = _simple_link if simple else _generic_link
    return Model(name, tuple(link(rng, k) for k in range(count)))


def random_states(model: Model, count: int, seed: int = 0) -> tuple[Array, Array, Array, Array]:
    """Different random states, one per row: q, v, a, tau; quaternions are unit."""
    rng = np.random.default_rng(seed)
    q = rng.uniform(-np.pi, np.pi, (count, model.nq))
    for body, start in zip(model.bodies, model.q_start, strict=False):
        if body.kind == "free":
            quaternion = rng.normal(size=(count, 4))
            q[:, start : start + 4] = quaternion / np.linalg.norm(quaternion, axis=1, keepdims=True)
    v, a, tau = (rng.normal(size=(count, model.nv)) for _ in range(3))
    return q, v, a, tau


def _simple_link(rng: np.random.Generator, k: int) -> Body:
    """Hinges about x and y in turn, offsets along z, diagonal inertia."""
    placement = np.eye(4)
    placement[2, 3] = 0.2 if k else 0.0
    axis = (1.0, 0.0, 0.0) if k % 2 else (0.0, 1.0, 0.0)
    tensor = np.diag(rng.uniform(0.008, 0.012, 3))
    return Body(
        f"b{k}", k - 1, "revolute", axis, _tuples(placement), rng.uniform(0.5, 2.0), (0.0, 0.0, 0.1), _tuples(tensor)
    )


def _generic_link(rng: np.random.Generator, k: int) -> Body:
    """Every constant of the link is random: no zeros to exploit."""
    placement = np.eye(4)
    placement[:3, :3] = _random_rotation(rng)
    placement[:3, 3] = 0.3 * rng.normal(size=3)
    axis = rng.normal(size=3)
    axis /= np.linalg.norm(axis)
    mass = rng.uniform(0.5, 2.0)
    turn = _random_rotation(rng)
    tensor = turn @ np.diag(mass * rng.uniform(0.01, 0.019, 3)) @ turn.T
    tensor = (tensor + tensor.T) / 2
    com = 0.1 * rng.normal(size=3)
    return Body(f"b{k}", k - 1, "revolute", _tuples(axis), _tuples(placement), mass, _tuples(com), _tuples(tensor))


def _random_rotation(rng: np.random.Generator) -> Array:
    turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    result: Array = turn * np.linalg.det(turn)
    return result


def _starts(sizes: Any) -> list[int]:
    starts = [0]
    for size in sizes:
        starts.append(starts[-1] + size)
    return starts


def _tuples(value: Any) -> Any:
    """Nested arrays or lists as nested tuples of Python numbers."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    return tuple(_tuples(item) for item in value) if isinstance(value, (list, tuple)) else value
