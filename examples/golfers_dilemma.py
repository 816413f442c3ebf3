"""The golfer's dilemma: a ball that rolls round inside a pipe does not fall out of it, it comes up again.

Rolling without slip couples sinking to spinning: as the ball sinks, its spin about the normal grows, and turns it up
again. It bobs at sqrt(2/7) of the rate at which it goes round, whatever gravity is: an old puzzle of rolling motion,
and a closed form that a test of `joints.Rolling` compares with. So golf balls come back out of the hole.

Paper: Gualtieri, Tokieda, Advis-Gaete, Carry, Reffet & Guthmann, "Golfer's dilemma", Am. J. Physics 74 (2006).
"""

import math

import anyjoint as aj
from anyjoint import joints, shapes, surfaces

DURATION, DT, METHOD = 9.0, 2e-3, "dopri5"
PIPE = surfaces.Cylinder(0.5, domain=((-math.pi, math.pi), (-1.6, 0.1)))


def ball(radius, color):
    """A ball with two bands, so that one sees it turn."""
    bands = [shapes.Torus(radius, 0.06 * radius, color="#f1ece2", pose=pose)
             for pose in (aj.Pose(), aj.Pose.rotation_x(math.pi / 2))]  # fmt: skip
    return [shapes.Sphere(radius, color=color), *bands]


def build(balls: int = 4, radius: float = 0.07) -> aj.Mechanism:
    """`balls` balls at the upper rim of a pipe, going round at different speeds, not spinning about the normal."""
    mech = aj.Mechanism("golfer's dilemma", description=__doc__)
    mech.draw(shapes.surface(PIPE, samples=(64, 8), color="#8fb8de", opacity=0.25))
    mech.draw(shapes.net(PIPE, lines=(13, 4), radius=0.004, color="#3d7ea6"))
    roll = joints.Rolling(surfaces.Inside(PIPE), surfaces.Sphere(radius))
    q, v = [], []
    for k in range(balls):
        look = ball(radius, shapes.shade(k, balls))
        mech.add_body(f"ball {k}", None, roll, inertia=look[0].inertia(0.05), shape=look)
        turns = 6.0 + 1.2 * k  # rad/s round the pipe
        q += [2 * math.pi * k / balls, 0.0, 0.0, math.pi / 2, 0.0]
        v += [0.0, -turns * (PIPE.radius - radius) / radius, 0.0]
    mech.set_start(q, v)
    return mech


if __name__ == "__main__":
    mech = build()
    traj = mech.compile().simulate(*mech.start, duration=DURATION, dt=DT, method=METHOD)
    print(traj.to_html("golfers_dilemma.html"))
