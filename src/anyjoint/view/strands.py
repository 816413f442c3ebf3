"""Muscles, cables, springs of a page, where they run: points of their paths, from the walk that measures them.

Forces that act are drawn, and what pulls along paths in the file of a loaded mechanism, whether it acts or not.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, TypedDict

import numpy as np

from anyjoint.codegen import javascript_function
from anyjoint.forces.path import Path
from anyjoint.forces.walk import Course
from anyjoint.frozen import frozen
from anyjoint.scalar.array import Floats
from anyjoint.spatial import Pose, pose_of_rows, vector
from anyjoint.symbolic import Graph, Node
from anyjoint.symbolic.interpret import evaluate
from anyjoint.view.pulling import pulling

if TYPE_CHECKING:
    from anyjoint.forces import Force
    from anyjoint.mechanism import Mechanism
    from anyjoint.simulate import Trajectory


class Strand(TypedDict):
    """One branch as JSON data: what it is, how many points it has, how thick it is drawn."""

    name: str
    kind: str
    points: int
    radius: float


@frozen
class CourseProgram:
    """Points of all paths of one kind, as expressions of poses of moving bodies, coordinates and numbers."""

    inputs: list[Node]
    outputs: list[Node]
    counts: tuple[int, ...]  # of the points of each branch

    def points(self, rows: Floats) -> Floats:
        """Points (n, points, 3) for rows (n, inputs)."""
        found = evaluate(self.outputs, {node.id: rows[:, k] for k, node in enumerate(self.inputs)})
        columns = [np.broadcast_to(np.asarray(x, dtype=float), len(rows)) for x in found]
        return np.stack(columns, axis=1).reshape(len(rows), -1, 3)


class Strands:
    """What pulls along paths in a mechanism, branch after branch."""

    def __init__(self, mechanism: Mechanism, acting: Sequence[Force] = ()) -> None:
        self.mechanism = mechanism
        self._programs: dict[Hashable, CourseProgram] = {}  # by the kind of path
        self.all = [x for x in pulling(mechanism, acting) if self._program(x.path).counts]

    def __bool__(self) -> bool:
        return bool(self.all)

    def _program(self, path: Path) -> CourseProgram:
        """The program of all paths of this kind."""
        key = path.course, tuple(body < 0 for body in path.bodies), len(path.coordinates), len(path.numbers)
        if key not in self._programs:
            self._programs[key] = _traced(*key)
        return self._programs[key]

    @property
    def count(self) -> int:
        """How many points there are in all."""
        return sum(sum(self._program(x.path).counts) for x in self.all)

    def points(self, q: Floats, poses: Floats) -> Floats:
        """World points (n, points, 3) for states (n, nq) and the bodies' poses there."""
        found = [self._program(x.path).points(self._rows(x.path, q, poses)) for x in self.all]
        return np.concatenate(found, axis=1)

    def _rows(self, path: Path, q: Floats, poses: Floats) -> Floats:
        moving = [body for body in path.bodies if body >= 0]
        numbers = np.broadcast_to(np.array(path.numbers), (len(q), len(path.numbers)))
        places = poses[:, moving, :3].reshape(len(q), -1)
        return np.concatenate([places, q[:, self._coordinates(path)], numbers], axis=1)

    def _coordinates(self, path: Path) -> list[int]:
        return [self.mechanism.bodies[body].q.start + k for body, k in path.coordinates]

    def levels(self, t: Floats) -> Floats | None:
        """Activations (n, branches) at times, as bytes; None if none is ever activated."""
        found = np.zeros((len(t), len(self.all)))
        for k, one in enumerate(self.all):
            if one.muscle:
                found[:, k] = [one.level(float(x)) for x in t]
        branches = np.repeat(found, [len(self._program(x.path).counts) for x in self.all], axis=1)
        return np.rint(255 * branches).astype(np.uint8) if found.any() else None

    def data(self, points: Floats) -> tuple[Strand, ...]:
        """As JSON data, with sizes that suit points (points, 3) of one state."""
        out: list[Strand] = []
        at = 0
        for one in self.all:
            for count in self._program(one.path).counts:
                length = float(np.linalg.norm(np.diff(points[at : at + count], axis=0), axis=1).sum())
                out.append({"name": one.name, "kind": one.kind, "points": count, "radius": one.radius(length)})
                at += count
        cables = [x for x in out if x["kind"] == "cable"]
        middling = float(np.median([x["radius"] for x in cables] or [0.0]))
        for cable in cables:
            cable["radius"] = middling
        return tuple(out)

    def script(self) -> str:
        """JavaScript that defines makeStrands() -> f(q, rows, out): points by coordinates and the bodies' poses.

        Of names nothing reaches the text.
        """
        if not self.all:
            return ""
        texts, kinds = list[str](), list(self._programs.values())
        for program in kinds:
            text = javascript_function([program.inputs], program.outputs)
            texts.append(f"(() => {{\n{text}return f;\n}})()")
        paths = [
            [kinds.index(self._program(x.path)), [body for body in x.path.bodies if body >= 0],
             self._coordinates(x.path), list(x.path.numbers), sum(self._program(x.path).counts)] for x in self.all
        ]  # fmt: skip
        tables = f"const kinds = [{', '.join(texts)}];\nconst paths = {json.dumps(paths)};\n"
        return f"function makeStrands() {{\n{tables}{GLUE}}}\n"


GLUE = """\
const made = paths.map(([kind, bodies, at, numbers, count]) => {
  const row = new Float64Array(12 * bodies.length + at.length + numbers.length);
  row.set(numbers, 12 * bodies.length + at.length);
  return { run: kinds[kind], bodies, at, row, points: new Float64Array(3 * count) };
});
return (q, rows, out) => {
  let to = 0;
  for (const { run, bodies, at, row, points } of made) {
    bodies.forEach((body, k) => row.set(rows.subarray(12 * body, 12 * body + 12), 12 * k));
    at.forEach((place, k) => (row[12 * bodies.length + k] = q[place]));
    run(row, points);
    out.set(points, to);
    to += points.length;
  }
};
"""


def trajectory_strands(traj: Trajectory, mechanism: Mechanism) -> Strands:
    """What pulls in a run."""
    drive = getattr(traj, "drive", None)
    forces = drive.forces if drive is not None else None
    return Strands(mechanism, forces.given if forces is not None else ())


def _traced(course: Course, grounded: tuple[bool, ...], coordinates: int, numbers: int) -> CourseProgram:
    g = Graph()
    frames = [[g.variable("x") for _ in range(12)] for still in grounded if not still]
    q, n = [g.variable("q") for _ in range(coordinates)], [g.variable("n") for _ in range(numbers)]
    made = iter(map(pose_of_rows, frames))
    poses = [Pose() if still else next(made) for still in grounded]
    branches = course(*poses, *([vector(*q)] if q else []), vector(*n))
    values = [x for branch in branches for point in branch for x in point]
    inputs = [*(x for frame in frames for x in frame), *q, *n]
    nodes = [g.as_node(x) for x in values]
    return CourseProgram(inputs, nodes, tuple(len(branch) for branch in branches))
