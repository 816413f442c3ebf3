"""A wine glass that was knocked rolls around on the edge of its foot, rocks, and stands again.

The glass is a solid of revolution, `shapes.revolved`, which is drawn and has its mass from one profile. It touches the
table with points around its foot and around its bowl, in one convex step with friction: `--set tilt=0.6` tips it over.
"""

import math

import numpy as np

import anyjoint as aj
from anyjoint import joints, shapes

DURATION, DT, METHOD = 4.0, 1e-3, "time-stepping"
FOOT, BOWL, WALL = 0.036, 0.042, 0.0012  # radii of foot and bowl, thickness of the glass


def profile() -> list[tuple[float, float]]:
    """Radius and height along the foot, up the stem, outside of the bowl up and inside down."""
    foot = [(0, 0), (FOOT, 0), (FOOT, 0.002), (0.016, 0.005), (0.006, 0.011), (0.0036, 0.022), (0.0034, 0.07)]
    egg = [(math.cos(a), math.sin(a)) for a in np.linspace(-1.45, 0.85, 24)]
    outside = [(BOWL * c, 0.127 + 0.05 * s) for c, s in egg]
    inside = [((BOWL - WALL) * c, 0.127 + (0.05 - WALL) * s) for c, s in reversed(egg)]
    return [*foot, *outside, *inside, (0, 0.078)]


def ring(radius: float, height: float, count: int) -> list[tuple[float, float, float]]:
    """Points around the glass."""
    return [(radius * math.cos(a), radius * math.sin(a), height) for a in 2 * np.pi * np.arange(count) / count]


def build(tilt: float = 0.24, turn: float = 2.2, friction: float = 0.5) -> aj.Mechanism:
    """A glass that leans by `tilt` on the edge of its foot, around which it rolls at `turn` rad/s."""
    mech = aj.Mechanism("wine glass", description=__doc__)
    mech.draw(shapes.Cylinder(0.12, 0.012, color="#a9784f", pose=aj.Pose.translation(0, 0, -0.0064)))  # below the foot
    glass = shapes.revolved(profile(), color="#a8cfe0", opacity=0.5)
    mech.add_body("glass", joint=joints.FreeQuaternion(), inertia=glass.inertia(density=2500), shape=glass)
    mech.add_contact("glass", ring(FOOT, 0, 40) + ring(BOWL, 0.127, 32), friction=friction)
    # It turns about the upright through the point that touches, which does not move.
    R, edge = np.asarray(aj.Pose.rotation_y(tilt).R, dtype=float), np.array([FOOT, 0, 0])
    w = R.T @ [0, 0, turn]
    mech.set_start([math.cos(tilt / 2), 0, math.sin(tilt / 2), 0, *(edge - R @ edge)], [*w, *np.cross(edge, w)])
    return mech


if __name__ == "__main__":
    mech = build()
    traj = mech.compile().simulate(*mech.start, duration=DURATION, dt=DT, method=METHOD)
    print(traj.to_html("wine_glass.html"))
