"""A knee from what a camera saw: the curve along which the shin glides, and the mass of the foot, fitted together.

The knee is a joint of one coordinate: it bends, and while it bends it glides back along a curve with five control
points. Markers on shin and foot are followed for two seconds, with half a millimetre of noise. The fit begins at a
hinge, with a foot twice as heavy, and finds curve and mass. The page has a slider over the iterations.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np

import anyjoint as aj
from anyjoint import joints
from anyjoint.optimal import Identified

POINTS = 5
WAY = (0.0, 0.012, 0.030, 0.034, 0.020)  # metres, how far the shin has glided at fifths of the bend


@dataclass(frozen=True)
class Knee(joints.Joint):
    """Bends by q and glides along x by a Bezier curve with control points c0 to c4 over a bend of two radians."""

    c0: float = joints.parameter((-0.1, 0.1), default=0.0)
    c1: float = joints.parameter((-0.1, 0.1), default=0.0)
    c2: float = joints.parameter((-0.1, 0.1), default=0.0)
    c3: float = joints.parameter((-0.1, 0.1), default=0.0)
    c4: float = joints.parameter((-0.1, 0.1), default=0.0)

    @property
    def coordinates(self) -> tuple[joints.Coordinate, ...]:
        return (joints.Coordinate("bend"),)

    def pose(self, q: Sequence[Any]) -> aj.Pose:
        s = q[0] / 2.0
        weights = [comb(POINTS - 1, k) * s**k * (1 - s) ** (POINTS - 1 - k) for k in range(POINTS)]
        glide = sum(w * c for w, c in zip(weights, (self.c0, self.c1, self.c2, self.c3, self.c4), strict=True))
        return aj.Pose.translation(glide, 0.0, 0.0) @ aj.Pose.rotation_y(q[0])


def leg(way: Sequence[float], foot_mass: float) -> aj.Model:
    """A sitting person's leg."""
    mech = aj.Mechanism("leg", gravity=(0, 0, -9.81))
    bone = aj.Inertia(mass=3.5, com=(0.2, 0, 0), tensor=np.diag([0.004, 0.05, 0.05]))
    shin = mech.add_body("shin", joint=Knee(*way), inertia=bone, damping=0.05)
    foot = aj.Inertia(mass=foot_mass, com=(0.03, 0, 0.06), tensor=np.diag([0.004, 0.005, 0.001]))
    mech.add_body("foot", shin, joints.Revolute((0, 1, 0)), aj.Pose.translation(0.42, 0, 0), foot, stiffness=3.0,
                  damping=0.05)  # fmt: skip
    names = [f"shin/joint/c{k}" for k in range(POINTS)]
    return mech.compile(vary=[*names, "foot/mass"])


def main() -> Identified:
    """Measure, fit, print, and draw the picture."""
    true, start = leg(WAY, 0.9), ([0.3, 0.0], [0.0, 0.0])
    run = true.simulate(*start, duration=2.0, dt=0.01)
    poses, rng = true.body_poses(run.q), np.random.default_rng(0)
    spots = [("shin", (0.1, 0.02, 0.0)), ("shin", (0.4, -0.02, 0.0)), ("foot", (0.05, 0.0, 0.12))]
    index = {body.name: body.index for body in true.mechanism.bodies}
    seen = {spot: poses[:, index[spot[0]]] @ (*spot[1], 1.0) for spot in spots}
    markers = {spot: p[:, :3] + 5e-4 * rng.normal(size=(len(run.t), 3)) for spot, p in seen.items()}
    names = [*(f"shin/joint/c{k}" for k in range(POINTS)), "foot/mass"]
    data = {"t": run.t, "markers": markers, "q0": start[0], "v0": start[1]}
    fit = aj.identify(leg((0.0,) * POINTS, 1.8), data, names, sigma=5e-4)
    print(fit)
    return fit


if __name__ == "__main__":
    found = main()
    found.plot().savefig("fit_knee.png", dpi=120)
    print(found.to_html("fit_knee.html"))
