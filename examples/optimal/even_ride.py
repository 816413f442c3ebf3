"""A roller coaster whose passengers feel as even a load as possible: the track's control points are optimised.

The track drops from one given height into a valley and climbs to another. The passenger sits on a spring: how far the
seat is pressed is the load that is felt. Heights of the track between are free, and are changed until the seat stays as
close to rest as it can. At first the valley is sharp; the page has a slider over the iterations.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np

import anyjoint as aj
from anyjoint import curves, joints, shapes
from anyjoint.optimal import Optimised

POINTS, LENGTH = 8, 24.0
FIRST = (6.0, 6.0, 6.0, -4.0, -4.0, 4.0, 4.0, 4.0)  # metres: a sharp valley
FREE = (1, 2, 4, 5, 6)  # the ends stay, and so does the deepest point
MASS, STIFFNESS, DAMPING = 70.0, 3e4, 2e3
DURATION, DT = 3.0, 0.01


@dataclass(frozen=True)
class Ride(joints.Joint):
    """Along a Bezier curve with control points at even distances x, of heights c0 to c7; the coordinate is x."""

    c0: float = joints.parameter((-10.0, 10.0), default=0.0)
    c1: float = joints.parameter((-10.0, 10.0), default=0.0)
    c2: float = joints.parameter((-10.0, 10.0), default=0.0)
    c3: float = joints.parameter((-10.0, 10.0), default=0.0)
    c4: float = joints.parameter((-10.0, 10.0), default=0.0)
    c5: float = joints.parameter((-10.0, 10.0), default=0.0)
    c6: float = joints.parameter((-10.0, 10.0), default=0.0)
    c7: float = joints.parameter((-10.0, 10.0), default=0.0)

    @property
    def coordinates(self) -> tuple[joints.Coordinate, ...]:
        return (joints.Coordinate("way"),)

    def heights(self) -> list[Any]:
        return [getattr(self, f"c{k}") for k in range(POINTS)]

    def pose(self, q: Sequence[Any]) -> aj.Pose:
        s, n = q[0] / LENGTH, POINTS - 1
        c = self.heights()
        z = sum(comb(n, k) * s**k * (1 - s) ** (n - k) * c[k] for k in range(n + 1))
        slope = sum(n / LENGTH * comb(n - 1, k) * s**k * (1 - s) ** (n - 1 - k) * (c[k + 1] - c[k]) for k in range(n))
        return aj.Pose.translation(q[0], 0.0, z) @ aj.Pose.rotation_y(-aj.atan2(slope, 1.0))

    @property
    def curve(self) -> Any:
        """The track, for the viewer."""
        n, c = POINTS - 1, [float(x) for x in self.heights()]
        height = lambda s: sum(comb(n, k) * s**k * (1 - s) ** (n - k) * c[k] for k in range(n + 1))  # noqa: E731
        return curves.curve(lambda s: (LENGTH * s, 0.0, height(s)), domain=(0.0, 1.0))


def build(heights: Sequence[float] = FIRST) -> aj.Mechanism:
    """A car on the track, and a passenger on a spring."""
    mech = aj.Mechanism("even ride", gravity=(0, 0, -9.81), description=__doc__)
    cabin = shapes.Box(1.2, 0.8, 0.35, color="#4c7ef3", pose=aj.Pose.translation(0, 0, 0.25))
    mech.add_body("car", joint=Ride(*heights), inertia=cabin.inertia(300.0), shape=cabin)
    person = shapes.Capsule(0.18, 0.5, color="#f3a712", pose=aj.Pose.translation(0, 0, 0.35))
    seat = aj.Pose.translation(0, 0, 0.45)
    mech.add_body("passenger", "car", joints.Prismatic(axis=(0, 0, 1)), seat, person.inertia(MASS), person,
                  stiffness=STIFFNESS, damping=DAMPING)  # fmt: skip
    return mech


def load(traj: aj.Trajectory) -> np.ndarray:
    """What the passenger feels, in g: how hard the seat's spring and damper push."""
    return -(STIFFNESS * traj.q[:, 1] + DAMPING * traj.v[:, 1]) / (MASS * 9.81)


def smooth(iterations: int = 60) -> Optimised:
    """Heights of the track for which the seat moves least."""
    free = [f"car/joint/c{k}" for k in FREE]
    model = build().compile(vary=free)
    rest = -MASS * 9.81 / STIFFNESS
    return aj.optimise(
        model, dict.fromkeys(free), q0=[0.5, rest], v0=[5.0, 0.0], duration=DURATION, dt=DT, iterations=iterations,
        running=lambda t, q, v, tau: (q[1] / rest - 1) ** 2, bounds=dict.fromkeys(free, (-6.0, 9.0)),
    )  # fmt: skip


if __name__ == "__main__":
    found = smooth()
    print(found)
    for k in (0, -1):
        print(f"load {load(found.motion(k)).min():.2f} to {load(found.motion(k)).max():.2f} g")
    print(found.to_html("even_ride.html"))
