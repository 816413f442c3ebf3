"""How far two surfaces are apart: the nearest points, found among many and followed by Newton's method.

At nearest points the normals oppose each other and the way from one to the other is along them: four equations for
(u1, v1, u2, v2). The gap is the way along the first normal, negative where the bodies overlap.
"""

from __future__ import annotations

import math

import numpy as np

from anyjoint.codegen import compile_function
from anyjoint.errors import AnyjointError
from anyjoint.frozen import frozen
from anyjoint.geometry.surfaces import Ellipsoid, Plane, Sphere, Surface
from anyjoint.scalar.array import Floats
from anyjoint.symbolic import Graph
from anyjoint.symbolic.derivative import jacobian

GRID = (24, 12)  # points of a surface among which the search begins
STARTS = 6
ITERATIONS = 40
CLOSE = 1e-13  # residual at which points are nearest, relative to the size of the numbers
SHALLOW, DEEP = 1e-4, 0.1  # share of the body's size: depths at which an overlap has just begun
ROUND = (Plane, Sphere, Ellipsoid)  # solids that never touch at two points
FURTHER = 1.5  # times the farthest of the sparse points: no point is farther from the body's origin
OPPOSED = -0.5  # cosine between normals that face each other, among sparse points


@frozen
class Near:
    """Parameters of the nearest points, the gap between them, and the angle psi between the first tangents there."""

    x: Floats
    gap: float
    psi: float

    @property
    def coordinates(self) -> Floats:
        """Contact coordinates (u1, v1, u2, v2, psi)."""
        return np.append(self.x, self.psi)


class Nearest:
    """Nearest points of two surfaces, the second carried by a pose (rotation and place in the frame of the first)."""

    def __init__(self, surface1: Surface, surface2: Surface) -> None:
        self.surfaces = surface1, surface2
        graph = Graph()
        x = [graph.variable("x", domain) for surface in self.surfaces for domain in surface.domain]
        R = np.array([graph.variable("R") for _ in range(9)], dtype=object)
        p = np.array([graph.variable("p") for _ in range(3)], dtype=object)
        first, second = surface1.frame(x[0], x[1]), surface2.frame(x[2], x[3])
        turned = R.reshape(3, 3) @ second.R
        way = R.reshape(3, 3) @ second.p + p - first.p
        along, across, normal = (first.R[:, k] for k in range(3))
        left = [along @ way, across @ way, along @ turned[:, 2], across @ turned[:, 2]]
        J = jacobian(left, x)
        more = [normal @ way, normal @ turned[:, 2], along @ turned[:, 0], across @ turned[:, 0]]
        self.code = compile_function([np.array(x), R, p], [*left, *np.ravel(J), *more])
        self.grids = [_grid(surface) for surface in self.surfaces]
        self.size = float(np.ptp(self.grids[1][1], axis=0).max())
        self.reach = FURTHER * float(np.linalg.norm(self.grids[1][1], axis=-1).max())
        self.charted = any(surface.other_chart(*surface.neutral) is not None for surface in self.surfaces)
        self.round = all(isinstance(surface, ROUND) for surface in self.surfaces)

    def search(self, turn: Floats, place: Floats) -> Near | None:
        """The nearest points of all that a sparse net of starts leads to."""
        return min(self._candidates(turn, place), key=lambda near: abs(near.gap), default=None)

    def overlap(self, turn: Floats, place: Floats) -> float:
        """How deep surfaces have just begun to overlap at some place; 0 where they do not.

        Far sides of solids also face away from each other, but from much deeper.
        """
        depths = [-near.gap / self.size for near in self._candidates(turn, place)]
        return self.size * max((depth for depth in depths if SHALLOW < depth < DEEP), default=0.0)

    def _candidates(self, turn: Floats, place: Floats) -> list[Near]:
        (at1, p1, n1), (at2, p2, n2) = self.grids
        p2, n2 = p2 @ turn.T + place, n2 @ turn.T
        distance = (p1 * p1).sum(axis=1)[:, None] + (p2 * p2).sum(axis=1) - 2 * p1 @ p2.T  # squared
        distance[n1 @ n2.T > OPPOSED] = math.inf
        found: list[Near] = []
        first = 0.0
        for _ in range(STARTS):
            i, j = np.unravel_index(int(distance.argmin()), distance.shape)
            apart = math.sqrt(max(float(distance[i, j]), 0.0))
            first = first or apart + self.size
            if apart > first:  # nothing nearer comes of starts that are so much farther apart
                break
            near = self.follow(np.concatenate([at1[i], at2[j]]), turn, place)
            if near is not None:
                found.append(near)
            # Starts beside this one would lead to the same points.
            apart1, apart2 = (np.linalg.norm(p - p[k], axis=1) for p, k in ((p1, i), (p2, j)))
            reach1, reach2 = (3 * np.partition(apart, 4)[4] for apart in (apart1, apart2))
            distance[np.ix_(apart1 < reach1, apart2 < reach2)] = math.inf
        return found

    def follow(self, x: Floats, turn: Floats, place: Floats) -> Near | None:
        """The nearest points beside parameters x; None where Newton's method does not lead to such."""
        x, R, p = np.array(x, dtype=float), np.ascontiguousarray(turn).ravel(), np.ascontiguousarray(place)
        row, scale = self.code(x, R, p), 1.0 + float(np.abs(place).max())
        for _ in range(ITERATIONS):
            size = float(np.abs(row[:4]).max())
            if size <= CLOSE * scale:
                break
            try:
                step = np.linalg.solve(row[4:20].reshape(4, 4), row[:4])
            except np.linalg.LinAlgError:
                return None
            length = 1.0
            while length > 1e-3:
                new = self.code(x - length * step, R, p)
                if np.abs(new[:4]).max() < size:
                    break
                length /= 2
            else:
                if size <= 1e3 * CLOSE * scale:  # as good as rounding allows
                    break
                return None
            x, row = x - length * step, new
        else:
            return None
        if not np.isfinite(row).all() or row[21] > 0:
            return None
        better = self._rechart(x) if self.charted else None
        if better is not None:
            x = better
            row = self.code(x, R, p)
        return Near(x, float(row[20]), math.atan2(-row[23], row[22]))

    def _rechart(self, x: Floats) -> Floats | None:
        """The same points in charts that are away from poles, if those are others."""
        at, changed = list(map(float, x)), False
        for k, surface in ((0, self.surfaces[0]), (2, self.surfaces[1])):
            change = surface.other_chart(at[k], at[k + 1])
            if change is not None and change[0]:
                at[k : k + 2], changed = list(map(float, change[1:])), True
        return np.array(at) if changed else None


def _grid(surface: Surface) -> tuple[Floats, Floats, Floats]:
    """Parameters, points and normals of a sparse net over a surface, away from poles and edges."""
    (u0, u1), (v0, v1) = surface.domain
    places, points, normals = [], [], []
    for u in np.linspace(u0, u1, GRID[0] + 1)[:-1] + 0.5 * (u1 - u0) / GRID[0]:
        for v in np.linspace(v0, v1, GRID[1] + 1)[:-1] + 0.5 * (v1 - v0) / GRID[1]:
            at = (float(u), float(v))
            change = surface.other_chart(*at)
            if change is not None and change[0]:
                at = (float(change[1]), float(change[2]))
            try:
                frame = surface.frame(*at)
                row = [float(x) for x in (*frame.p, *frame.R[:, 2])]
            except AnyjointError:
                continue  # a place where a surface of the user's own has no frame
            if np.isfinite(row).all():
                places.append(at)
                points.append(row[:3])
                normals.append(row[3:])
    return np.array(places), np.array(points), np.array(normals)
