"""The double pendulum: two hinges, and chaos.

A handful of them start within a thousandth of a radian; for a while they move as one, then every one goes its own way.
"""

import anyjoint as aj
from anyjoint import joints, shapes

DURATION, DT, METHOD = 20.0, 1e-3, "rk4"


def build(copies: int = 5, angle: float = 2.0, apart: float = 1e-3, length: float = 1.0) -> aj.Mechanism:
    """`copies` double pendulums side by side, raised to `angle` and `apart` radians from one another."""
    mech = aj.Mechanism("double pendulum", description=__doc__)
    mech.draw(shapes.rod((0, -0.12, 0), (0, 0.12 * copies, 0), 0.02, "#8a97a8"))
    hinge, end = joints.Revolute(axis=(0, 1, 0)), (0, 0, -length)
    solid = aj.Inertia.sphere(1.0, 0.08).moved(aj.Pose.translation(*end))
    for k in range(copies):
        color = shapes.shade(k, copies)
        bob = shapes.Sphere(0.08, color=color, pose=aj.Pose.translation(*end))
        look = [shapes.rod((0, 0, 0), end, 0.02, color), bob]
        upper = mech.add_body(f"upper {k}", None, hinge, aj.Pose.translation(0, 0.12 * k, 0), solid, look)
        mech.add_body(f"lower {k}", upper, hinge, aj.Pose.translation(*end), solid, look)
    mech.set_start([x for k in range(copies) for x in (angle + apart * k, 0.5)])
    return mech


if __name__ == "__main__":
    mech = build()
    traj = mech.compile().simulate(*mech.start, duration=DURATION, dt=DT, method=METHOD)
    print(traj.to_html("double_pendulum.html"))
