"""A roller coaster: a train of cars on a closed track, one coordinate for all of them.

The track is a function of one parameter. The first car rides along it; the others follow at a fixed distance behind,
which is a `Coupled` joint: their place on the track is a function of the first one's. A bell hangs from every car.

Paper: Guenter & Lee, "Symbolic Lagrangian multibody dynamics", section 5 (frames along curves).
"""

import math

import anyjoint as aj
from anyjoint import curves, joints, shapes

DURATION, DT, METHOD = 15.0, 1e-3, "rk4"
TURN, STEEL = 2 * math.pi, "#8a97a8"


def track(s):
    """A closed track with hills, nowhere vertical."""
    x, y = (4.0 + 0.8 * aj.cos(3 * s)) * aj.cos(s), (3.0 + 0.6 * aj.sin(2 * s)) * aj.sin(s)
    return x, y, 0.9 * aj.cos(2 * s) + 0.5 * aj.sin(3 * s)


def build(cars: int = 5, gap: float = 0.17, speed: float = 1.0) -> aj.Mechanism:
    """`cars` cars, `gap` apart along the track, at `speed` radians of the track per second on the first hill."""
    mech = aj.Mechanism("roller coaster", description=__doc__)
    way = curves.curve(track, domain=(0.0, TURN), period=TURN)
    rails = [lambda s, y=y: way.fixed_up(s).act((0, y, -0.06)) for y in (-0.12, 0.12)]
    mech.draw(*(shapes.curve(rail, 0.0, TURN, radius=0.022, samples=400, color=STEEL) for rail in rails))
    for k in range(90):  # sleepers, and a post under every sixth
        left, right = ([float(x) for x in rail(TURN * k / 90)] for rail in rails)
        mech.draw(shapes.rod(left, right, 0.018, "#e8cfa6"))
        if k % 6 == 0:
            mech.draw(shapes.rod([*left[:2], -2.2], left, 0.025, "#f1ece2"))
    ride, swing = joints.OnCurve(way, frame="fixed-up"), joints.Revolute((1, 0, 0))
    rope = shapes.rod((0, 0, 0), (0, 0, -0.14), 0.012, "#2f3542")
    bell = shapes.Sphere(0.06, color="#f3a712", pose=aj.Pose.translation(0, 0, -0.18))
    for k in range(cars):
        cabin = shapes.Box(0.4, 0.3, 0.16, color=shapes.shade(k, cars), pose=aj.Pose.translation(0, 0, 0.06))
        joint = ride if k == 0 else joints.Coupled(ride, lambda q, k=k: (q[0] - k * gap,), "car 0")
        mech.add_body(f"car {k}", None, joint, inertia=cabin.inertia(20.0), shape=cabin)
        mech.add_body(f"bell {k}", f"car {k}", swing, None, bell.inertia(0.4), [rope, bell], damping=0.05)
    mech.set_start([0.6] + [0.2] * cars, [speed] + [0.0] * cars)
    return mech


if __name__ == "__main__":
    mech = build()
    traj = mech.compile().simulate(*mech.start, duration=DURATION, dt=DT, method=METHOD)
    print(traj.to_html("roller_coaster.html"))
