"""Lengths of cables and muscles, and their moment arms: how the length changes with each coordinate, by D*.

A path knows bodies by their poses alone, so that all paths of one kind share a small program, whatever hangs between
the bodies; what its wrenches on them do to the joints is a product with all Jacobians, in linear time.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from anyjoint.codegen import compile_function
from anyjoint.errors import InputError
from anyjoint.scalar import Scalar
from anyjoint.scalar.array import ArrayLike, Floats
from anyjoint.spatial import Pose, Translation, Turn, skew, vector
from anyjoint.symbolic import Graph, Node
from anyjoint.symbolic.derivative import jacobian
from anyjoint.symbolic.rewrite import substitute

from .arguments import checked_row
from .part import Part

if TYPE_CHECKING:
    from anyjoint.codegen.function import CompiledFunction
    from anyjoint.forces.path import Path


class PathQuestions(Part):
    """The part of Model that is about paths: a cable or muscle of `anyjoint.forces`, a list of items, or several."""

    def path_length(self, q: ArrayLike, paths: Any) -> Floats:
        """Length of a path, (...) for states (..., nq), or of several, (..., paths)."""
        several, read = self._read("path_length", paths)
        q = checked_row("path_length", q, "q", self.nq, self.dtype)
        lengths = self._along(np.atleast_2d(q), read)[0].reshape(*q.shape[:-1], len(read))
        return np.asarray(lengths if several else lengths[..., 0])

    def moment_arms(
        self, q: ArrayLike, paths: Any, *, constrained: bool = False, weights: ArrayLike | None = None,
        t: ArrayLike | None = None,
    ) -> Floats:  # fmt: skip
        """Generalized forces of a unit tension, (..., nv), or of several, (..., paths, nv): -d(length)/dq.

        With a tension T, a muscle turns the joint of a hinge by the torque T * arm. These are slopes along one velocity
        at a time, as if there were no constraints. With `constrained`, all velocities move as the constraints ask for
        when this one is 1, for states that are on them (`model.assemble`). Where that leaves a choice, the sum of their
        squares is the least, also of joints that follow others, as in OpenSim; `weights` (nv,) of these squares or a
        matrix such as `model.mass_matrix(q)` choose otherwise. NaN for velocities that constraints hold.
        """
        if not constrained and (weights is not None or t is not None):
            raise InputError("moment_arms: weights and t are about constraints; give constrained=True, too")
        several, read = self._read("moment_arms", paths)
        q = checked_row("moment_arms", q, "q", self.nq, self.dtype)
        states = np.atleast_2d(q)
        _, wrenches, direct = self._along(states, read)
        rows, flat = np.repeat(states, len(read), axis=0), wrenches.reshape(-1, self.nb, 6)
        arms = -np.asarray(self.whole.generalized_forces(rows, flat)).reshape(direct.shape) - direct
        arms = arms.reshape(*q.shape[:-1], len(read), self.nv)
        if constrained:
            from .allowed import allowed_motions

            arms = (arms @ allowed_motions(self.whole, "moment_arms", q, weights, t)).astype(self.dtype, copy=False)
        return np.asarray(arms if several else arms[..., 0, :])

    def _read(self, where: str, paths: object) -> tuple[bool, list[Path]]:
        from anyjoint.forces.path import read_path  # most models have no paths

        several, items = _listed(paths)
        return several, [read_path(getattr(item, "path", item), self.mechanism, where) for item in items]

    def _along(self, q: Floats, paths: Sequence[Path]) -> tuple[Floats, Floats, Floats]:
        """Of every state and path: the length, how it changes with motions of bodies, and with coordinates."""
        poses = np.asarray(self.whole.body_poses(q))
        size = len(q), len(paths)
        lengths, wrenches = np.zeros(size, self.dtype), np.zeros((*size, self.nb, 6), self.dtype)
        direct = np.zeros((*size, self.nv), self.dtype)
        for k, path in enumerate(paths):
            moving = [body for body in path.bodies if body >= 0]
            places = poses[:, moving, :3].reshape(len(q), -1)
            at = [self.mechanism.bodies[body].q.start + c for body, c in path.coordinates]
            numbers = np.broadcast_to(np.array(path.numbers, self.dtype), (len(q), len(path.numbers)))
            rows = np.concatenate([places, q[:, at], numbers], axis=1)
            # A single state needs no code for batches.
            found = np.atleast_2d(self._path_program(path)(rows if len(rows) > 1 else rows[0]))
            lengths[:, k] = found[:, 0]
            for i, body in enumerate(moving):
                wrenches[:, k, body] += found[:, 1 + 6 * i : 7 + 6 * i]
            for i, (body, c) in enumerate(path.coordinates):
                direct[:, k, self.mechanism.bodies[body].v.start + c] += found[:, 1 + 6 * len(moving) + i]
        return lengths, wrenches, direct

    @cached_property
    def _path_programs(self) -> dict[Hashable, CompiledFunction]:
        return {}

    def _path_program(self, path: Path) -> CompiledFunction:
        """The program of all paths of this kind."""
        grounded = tuple(body < 0 for body in path.bodies)
        key = path.measure, grounded, len(path.coordinates), len(path.numbers)
        if key not in self._path_programs:
            self._path_programs[key] = _compiled(*key, self.dtype.name)
        return self._path_programs[key]


def _compiled(
    measure: Callable[..., Scalar], grounded: tuple[bool, ...], coordinates: int, numbers: int, dtype: str
) -> CompiledFunction:
    """(poses of moving bodies, coordinates, numbers) -> length, and its slopes by small motions and coordinates."""
    g = Graph()
    frames = [[g.variable("x") for _ in range(12)] for still in grounded if not still]
    small = [[g.variable("z") for _ in range(6)] for _ in frames]
    q, n = [g.variable("q") for _ in range(coordinates)], [g.variable("n") for _ in range(numbers)]
    made = iter([_displaced(frame, z) for frame, z in zip(frames, small, strict=True)])
    poses = [Pose() if still else next(made) for still in grounded]
    length = measure(*poses, *([vector(*q)] if q else []), vector(*n))
    still = {x: 0.0 for z in small for x in z}
    slopes = jacobian([g.as_node(length)], [*still, *q], method="reverse")
    outputs = substitute([g.as_node(length), *slopes[0]], still)
    inputs = [*(x for frame in frames for x in frame), *q, *n]
    return compile_function([inputs], [g.as_node(x) for x in outputs], dtype=dtype)


def _displaced(frame: Sequence[Node], z: Sequence[Node]) -> Pose:
    """A pose, given by the rows of [R p], a small motion of the body later."""
    T = vector(*frame).reshape(3, 4)
    R, p = T[:, :3], T[:, 3]
    return Pose((Translation(tuple(p + R @ vector(*z[3:]))), Turn(R + R @ skew(vector(*z[:3])))))


def _listed(paths: object) -> tuple[bool, tuple[Any, ...]]:
    """Whether there are several paths, and all of them."""
    if isinstance(paths, Mapping):
        return True, tuple(paths.values())
    if isinstance(paths, Sequence) and paths and all(hasattr(item, "path") for item in paths):
        return True, tuple(paths)
    return False, (paths,)
