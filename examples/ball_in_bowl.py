"""Balls in a bowl: a surface given by one line of Python, and orbits that never close.

`OnSurface` takes any function of two parameters. The bowl is z = 0.35 r^2 with a gentle ripple round its rim; balls of
the same start height and different speed draw rosettes. Near the bottom they move as on a spring, higher up they don't.
"""

import anyjoint as aj
from anyjoint import joints, shapes, surfaces

DURATION, DT, METHOD = 12.0, 1e-3, "rk4"
RADIUS = 0.09


def bowl(u, v):
    """The bowl over the point (u, v) of the floor."""
    r2 = u * u + v * v
    return u, v, 0.35 * r2 + 0.012 * u * v * (u * u - v * v)


def build(balls: int = 6, distance: float = 1.5) -> aj.Mechanism:
    """`balls` balls released at the same distance from the middle, each with more speed than the last."""
    mech = aj.Mechanism("balls in a bowl", description=__doc__)
    dish = surfaces.surface(bowl, domain=((-1.7, 1.7), (-1.7, 1.7)))
    mech.draw(shapes.surface(dish, color="#8fb8de", opacity=0.35), shapes.net(dish, color="#3d7ea6"))
    glide = joints.OnSurface(dish)
    q, v = [], []
    for k in range(balls):
        ball = shapes.Sphere(RADIUS, color=shapes.shade(k, balls), pose=aj.Pose.translation(0, 0, RADIUS))
        mech.add_body(f"ball {k}", None, glide, inertia=ball.inertia(0.5), shape=ball)
        q += [distance, 0.0]
        v += [0.0, 0.6 + 0.7 * k]
    mech.set_start(q, v)
    return mech


if __name__ == "__main__":
    mech = build()
    traj = mech.compile().simulate(*mech.start, duration=DURATION, dt=DT, method=METHOD)
    print(traj.to_html("ball_in_bowl.html"))
