"""A roller coaster: a train of cars on a closed track, one coordinate for all of them.

The track is a function of one parameter. The first car rides along it; the others follow at a fixed distance behind,
which is a `Coupled` joint: their place on the track is a function of the first one's. A bell hangs from every car.

Paper: Guenter & Lee, "Symbolic Lagrangian multibody dynamics", section 5: frames along curves "make a roller coaster
or train roll along a track".
"""

import math

import anyjoint as aj
from anyjoint import curves, joints, shapes

DURATION, DT, METHOD = 15.0, 1e-3, "rk4"
TURN = 2 * math.pi


def track(s):
    """A closed track with three hills, nowhere vertical."""
    x, y = (4.0 + 0.8 * aj.cos(3 * s)) * aj.cos(s), (3.0 + 0.6 * aj.sin(2 * s)) * aj.sin(s)
    return x, y, 0.9 * aj.cos(2 * s) + 0.5 * aj.sin(3 * s)


def build(cars: int = 5, gap: float = 0.15, speed: float = 0.25) -> aj.Mechanism:
    """`cars` cars, `gap` apart along the track, let go at the highest point."""
    mech = aj.Mechanism("roller coaster")
    way = curves.curve(track, domain=(0.0, TURN), period=TURN)
    for side in (-0.12, 0.12):
        offset = aj.Pose.translation(0, side, -0.06)
        mech.draw(shapes.curve(lambda s, o=offset: (way.fixed_up(s) @ o).p, 0.0, TURN, radius=0.02, samples=400))
    ride = joints.OnCurve(way, frame="fixed-up")
    for k in range(cars):
        color = shapes.shade(k, cars)
        cabin = shapes.Box(0.42, 0.3, 0.16, color=color, pose=aj.Pose.translation(0, 0, 0.06))
        nose = shapes.Ellipsoid(0.12, 0.14, 0.1, color=color, pose=aj.Pose.translation(0.22, 0, 0.06))
        joint = ride if k == 0 else joints.Coupled(ride, lambda q, k=k: (q[0] - k * gap,), "car 0")
        car = mech.add_body(f"car {k}", None, joint, inertia=cabin.inertia(20.0), shape=[cabin, nose])
        bell = shapes.Sphere(0.06, color="#f3a712", pose=aj.Pose.translation(0, 0, -0.18))
        rope = shapes.rod((0, 0, 0), (0, 0, -0.14), 0.012, "#2f3542")
        swing = joints.Revolute((1, 0, 0))
        mech.add_body(f"bell {k}", car, swing, None, bell.inertia(0.4), [rope, bell], damping=0.001)
    mech.set_start([0.35] + [0.2] * cars, [speed] + [0.0] * cars)
    return mech


if __name__ == "__main__":
    mech = build()
    traj = mech.compile().simulate(*mech.start, duration=DURATION, dt=DT, method=METHOD)
    print(traj.to_html("roller_coaster.html"))
