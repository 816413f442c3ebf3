"""Marbles that roll inside a ring: round and up and down its walls, without ever slipping.

`joints.Rolling(surfaces.Inside(torus), ball)` is the whole joint. Five coordinates say where the contact is on the ring
and on the marble and how they are turned; three velocities, the marble's angular velocity, say all that can move. The
marble's chart has poles, which it rolls over all the time: near one the coordinates change to other poles.

Paper: Pai, Ascher & Kry, "Forward dynamics algorithms for multibody chains and contact", section 6.
"""

import math

import anyjoint as aj
from anyjoint import joints, shapes, surfaces

DURATION, DT, METHOD = 10.0, 1e-3, "rk4"
RING = surfaces.Torus(1.0, 0.36)


def marble(radius, color):
    """A ball with three bands, so that one sees it turn."""
    bands = [shapes.Torus(radius, 0.05 * radius, color="#f1ece2", pose=pose)
             for pose in (aj.Pose(), aj.Pose.rotation_x(math.pi / 2), aj.Pose.rotation_y(math.pi / 2))]  # fmt: skip
    return [shapes.Sphere(radius, color=color), *bands]


def build(marbles: int = 6) -> aj.Mechanism:
    """`marbles` marbles of different sizes around the ring, each faster than the last."""
    mech = aj.Mechanism("marbles in a ring", description=__doc__)
    lower = (-math.pi, math.pi), (-math.pi, 0.0)
    mech.draw(shapes.surface(RING, *lower, samples=(96, 32), color="#8fb8de", opacity=0.3))
    mech.draw(shapes.net(RING, *lower, lines=(25, 5), radius=0.005, color="#3d7ea6"))
    q, v = [], []
    for k in range(marbles):
        radius = 0.16 - 0.012 * k
        look = marble(radius, shapes.shade(k, marbles))
        roll = joints.Rolling(surfaces.Inside(RING), surfaces.Sphere(radius))
        mech.add_body(f"marble {k}", None, roll, inertia=look[0].inertia(0.5), shape=look)
        q += [2 * math.pi * k / marbles, -math.pi / 2 + 0.6 * (-1) ** k, 0.0, math.pi / 2, 0.0]
        v += [0.0, (0.6 + 0.15 * k) / radius, 0.0]
    mech.set_start(q, v)
    return mech


if __name__ == "__main__":
    mech = build()
    traj = mech.compile().simulate(*mech.start, duration=DURATION, dt=DT, method=METHOD)
    print(traj.to_html("marbles_in_a_ring.html"))
