"""A bowling ball slides, grips the lane, and rolls on at five sevenths of its speed.

`add_contact_body` makes a body whose contact changes its mode: it flies, slides with friction, or rolls. This ball is
thrown onto the lane with sidespin: it bounces, hooks to the side while it slips, and goes straight as soon as it rolls.
"""

import anyjoint as aj
from anyjoint import shapes, surfaces

DURATION, DT, METHOD = 1.9, 2e-3, "rk4"
RADIUS = 0.108


def build(friction: float = 0.12, speed: float = 6.0, spin: float = 25.0) -> aj.Mechanism:
    """A ball thrown along x at `speed` m/s with `spin` rad/s about its direction."""
    mech = aj.Mechanism("bowling ball", description=__doc__)
    mech.draw(shapes.Box(11.0, 1.4, 0.1, color="#d8b98a", pose=aj.Pose.translation(5.0, 0.4, -0.05)))
    ball = shapes.Sphere(RADIUS, color="#2f5d8c")
    holes = [shapes.Sphere(0.02, color="#1c2333", pose=aj.Pose.translation(x, y, 0.095)) for x, y in HOLES]
    mech.add_contact_body(
        "ball", surfaces=(surfaces.Plane(), surfaces.Sphere(RADIUS)), friction=friction, restitution=0.3,
        start="flight", inertia=ball.inertia(6.8), shape=[ball, *holes],
    )  # fmt: skip
    mech.set_start([1, 0, 0, 0, 0, 0, 0.25], [-spin, 0, 0, speed, 0, 0])
    return mech


HOLES = ((0.025, 0.02), (0.025, -0.02), (-0.02, 0.0))

if __name__ == "__main__":
    mech = build()
    traj = mech.compile().simulate(*mech.start, duration=DURATION, dt=DT, method=METHOD)
    for time, body, change, reason in traj.modes:
        print(f"{time:.4f} s  {body}: {change} ({reason})")
    print(traj.to_html("bowling_ball.html"))
