"""An egg that is spun on a table slips, tips up, jumps, and ends up standing on its end.

Its contact breaks and forms: the egg flies, slides with friction, rolls. Friction at the slipping contact turns it
upright, against gravity; on the way the table cannot hold it down and it leaves for moments [Mitsui, Aihara, Terayama,
Kobayashi & Shimomura 2006]. Contact points and forces are drawn. With less spin it just rolls about.
"""

import math

import numpy as np

import anyjoint as aj
from anyjoint import shapes, surfaces

DURATION, DT, METHOD = 1.2, 5e-4, "rk4"
LENGTH, WIDTH = 0.03, 0.022  # half axes


def build(spin: float = 150.0, friction: float = 0.3, tilt: float = 0.05) -> aj.Mechanism:
    """An egg of 60 g, its yolk a little off the middle, dropped from 2 mm with `spin` rad/s about the vertical."""
    mech = aj.Mechanism("spinning egg", description=__doc__)
    mech.draw(shapes.Box(0.26, 0.38, 0.01, color="#c9b79c", pose=aj.Pose.translation(-0.05, -0.13, -0.005)))
    shell = shapes.Ellipsoid(LENGTH, WIDTH, WIDTH, color="#f3e3c7")
    dot = shapes.Sphere(0.004, color="#c8553d", pose=aj.Pose.translation(0.8 * LENGTH, 0, 0.55 * WIDTH))
    inertia = aj.Inertia(mass=0.06, com=(-0.004, 0, 0), tensor=shell.inertia(0.06).tensor.tolist())
    mech.add_contact_body(
        "egg", surfaces=(surfaces.Plane(), surfaces.Ellipsoid(LENGTH, WIDTH, WIDTH)), friction=friction,
        start="flight", inertia=inertia, shape=[shell, dot],
    )  # fmt: skip
    half = tilt / 2
    mech.set_start([math.cos(half), 0, math.sin(half), 0, 0, 0, WIDTH + 0.002], np.array([0, 0, spin, 0, 0, 0]))
    return mech


if __name__ == "__main__":
    mech = build()
    traj = mech.compile().simulate(*mech.start, duration=DURATION, dt=DT, method=METHOD)
    print("\n".join(f"{time:.4f} s  {change}: {reason}" for time, _, change, reason in traj.modes))
    print(traj.to_html("spinning_egg.html"))
