"""Pucks that slide over both poles of a globe: charts that change by themselves.

Longitude and latitude say nothing at the poles, whatever axis carries them, so that no single pair of coordinates
serves all of a sphere. The globe is an atlas here, of three charts with their poles on x, y and z. A puck that comes
near a pole goes on in another chart: pose, velocity and energy stay what they are, only the numbers for them change.

Paper: Si & Guenter, section 6 (switching between parameterisations with different singular points).
"""

import math

import anyjoint as aj
from anyjoint import joints, shapes, surfaces

DURATION, DT, METHOD = 10.0, 1e-3, "rk4"
RADIUS = 1.0


def build(pucks: int = 5) -> aj.Mechanism:
    """`pucks` pucks on one meridian, pushed towards the pole; the last ones come over it, and down over the other."""
    mech = aj.Mechanism("over the poles", gravity=(0.0, 0.0, -2.0), description=__doc__)
    globe = surfaces.atlas([surfaces.Sphere(RADIUS, axis) for axis in "zxy"])
    mech.draw(shapes.Sphere(RADIUS, color="#8fb8de"), shapes.net(surfaces.Sphere(RADIUS), color="#3d7ea6"))
    disc = shapes.Cylinder(0.1, 0.05, pose=aj.Pose.translation(0, 0, 0.03))
    arrow = shapes.rod((0, 0, 0.06), (0.14, 0, 0.06), 0.012, "#f1ece2")
    q, v = [], []
    for k in range(pucks):
        puck = shapes.Cylinder(0.1, 0.05, color=shapes.shade(k, pucks), pose=disc.pose)
        ride = joints.OnSurface(globe, spin=True)
        mech.add_body(f"puck {k}", None, ride, inertia=disc.inertia(0.3), shape=[puck, arrow])
        q += [2 * math.pi * k / pucks, 1.2, 0.0]
        v += [0.0, -1.6 - 0.35 * k, 0.5 * k]
    mech.set_start(q, v)
    return mech


if __name__ == "__main__":
    mech = build()
    traj = mech.compile().simulate(*mech.start, duration=DURATION, dt=DT, method=METHOD)
    print(traj.to_html("over_the_poles.html"))
