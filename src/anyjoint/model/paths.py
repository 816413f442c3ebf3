"""Lengths of cables and muscles, and their moment arms: how the length changes with each coordinate, by D*."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from anyjoint.codegen import compile_function
from anyjoint.forces.path import read_path
from anyjoint.forces.trace import ForceTrace
from anyjoint.spatial import Pose
from anyjoint.symbolic import Node
from anyjoint.symbolic.derivative import jacobian

from .arguments import checked_row
from .part import Part

Floats = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True)
class _Program:
    """Paths, kept alive while their code is, and the code: lengths, then arms row by row."""

    paths: tuple[Any, ...]
    function: Any


class PathQuestions(Part):
    """The part of Model that is about paths: a cable or muscle of `anyjoint.forces`, a list of items, or several."""

    def path_length(self, q: Any, paths: Any) -> Floats:
        """Length of a path, (...) for states (..., nq), or of several, (..., paths)."""
        several, found = self._along("path_length", q, paths)
        lengths = found[..., 0]
        return np.asarray(lengths if several else lengths[..., 0])

    def moment_arms(self, q: Any, paths: Any) -> Floats:
        """Generalized forces of a unit tension, (..., nv), or of several, (..., paths, nv): -d(length)/dq.

        With a tension T, a muscle turns the joint of a hinge by the torque T * arm.
        """
        several, found = self._along("moment_arms", q, paths)
        arms = found[..., 1:]
        return np.asarray(arms if several else arms[..., 0, :])

    def _along(self, where: str, q: Any, paths: Any) -> tuple[bool, Floats]:
        several, items = _listed(paths)
        q = checked_row(where, q, "q", self.nq, self.dtype)
        program = self._path_program(where, items)
        shape = (*q.shape[:-1], len(items), 1 + self.nv)
        return several, np.asarray(program.function(q)).reshape(shape)

    @cached_property
    def _path_programs(self) -> dict[tuple[int, ...], _Program]:
        return {}

    def _path_program(self, where: str, items: tuple[Any, ...]) -> _Program:
        key = tuple(map(id, items))
        if key not in self._path_programs:
            self._path_programs[key] = _Program(items, self._compiled_paths(where, items))
        return self._path_programs[key]

    def _compiled_paths(self, where: str, items: tuple[Any, ...]) -> Any:
        trace, lengths = ForceTrace(self.mechanism), []
        for item in items:
            path = read_path(getattr(item, "path", item), self.mechanism, where)
            poses = [trace.poses[body] if body >= 0 else Pose() for body in path.bodies]
            at = [self.mechanism.bodies[body].q.start + k for body, k in path.coordinates]
            q = [np.array([trace.q[k] for k in at], dtype=object)] if at else []
            length = path.measure(*poses, *q, np.array(path.numbers, dtype=object))
            lengths.append(length if isinstance(length, Node) else trace.graph.constant(float(length)))
        rates = trace.rate_of(lengths)
        nodes = [x if isinstance(x, Node) else trace.graph.constant(float(x)) for x in rates]
        slopes = jacobian(nodes, trace.v)
        rows = [[length, *(-x for x in row)] for length, row in zip(lengths, slopes, strict=True)]
        return compile_function([trace.q], rows, dtype=self.dtype.name)


def _listed(paths: Any) -> tuple[bool, tuple[Any, ...]]:
    """Whether there are several paths, and all of them."""
    if isinstance(paths, Mapping):
        return True, tuple(paths.values())
    if hasattr(paths, "path"):
        return False, (paths,)
    if isinstance(paths, Sequence) and paths and all(hasattr(item, "path") for item in paths):
        return True, tuple(paths)
    return False, (paths,)
