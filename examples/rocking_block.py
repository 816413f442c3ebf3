"""A slender block rocks from corner to corner, and loses energy each time it lands.

Contacts at its corners push and rub within one convex step. Housner's closed form says what share of its speed is left
when a block that does not slip changes corners: 1 - 3/2 sin^2 of the angle between its diagonal and its side.
"""

import math

import anyjoint as aj
from anyjoint import joints, shapes

DURATION, DT, METHOD = 5.0, 1e-3, "time-stepping"


def build(width: float = 0.25, height: float = 1.0, tilt: float = 0.18, friction: float = 0.8) -> aj.Mechanism:
    """A block that stands on one edge, leaning by `tilt` radians."""
    mech = aj.Mechanism("rocking block", description=__doc__)
    mech.draw(shapes.Box(3.0, 1.2, 0.06, color="#d9d2c5", pose=aj.Pose.translation(0, 0, -0.03)))
    block = shapes.Box(width, 0.4, height, color="#b5654a")
    mech.add_body("block", joint=joints.FreeQuaternion(), inertia=block.inertia(density=400), shape=block)
    mech.add_contact("block", friction=friction)
    # The corner about which it leans stays where it is.
    x, _, z = (float(c) for c in aj.Pose.rotation_y(tilt).act((-width / 2, 0, height / 2)))
    mech.set_start([math.cos(tilt / 2), 0, math.sin(tilt / 2), 0, x + width / 2, 0, z])
    return mech


if __name__ == "__main__":
    mech = build()
    traj = mech.compile().simulate(*mech.start, duration=DURATION, dt=DT, method=METHOD)
    print(traj.to_html("rocking_block.html"))
