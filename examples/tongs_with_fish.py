"""Lazy tongs with a fish: 33 bodies, dozens of closed loops, three coordinates.

Every angle of the tongs is a function of one: the links lean by +q or -q. A `Coupled` joint says so (here with a gear
ratio of 2 or -2), and the loops are closed by construction. Engines with one coordinate per link need 34 coordinates
and 31 constraints for the same thing.

Paper: Guenter & Lee, "Symbolic Lagrangian multibody dynamics", Fig. 5(d).
"""

import anyjoint as aj
from anyjoint import joints, shapes

DURATION, DT, METHOD = 10.0, 1e-3, "rk4"


def build(stages: int = 16, opening: float = 0.95, half: float = 0.12) -> aj.Mechanism:
    """`stages` pairs of crossed links, `half` of a link's length each way, at first leaning by `opening` radians."""
    mech = aj.Mechanism("tongs with a fish", description=__doc__)
    hinge, down = joints.Revolute((0, 1, 0)), aj.Pose.translation(0, 0, -half)
    solid = aj.Inertia.capsule(0.05, 0.011, 2 * half)
    for k in range(stages):
        middle = aj.Pose() if k == 0 else down  # the first pair is hinged in its middle, the others at their upper ends
        for hand, other, side in (("a", "b", 1), ("b", "a", -1)):
            color, shift = shapes.shade(k, stages), aj.Pose.translation(0, 0.011 * side, 0)
            look = shapes.Capsule(0.011, 2 * half, color=color, pose=middle @ shift)
            if (hand, k) == ("a", 0):  # the one link with a coordinate of its own; a spring holds the tongs half open
                mech.add_body("a0", None, hinge, None, solid, look, stiffness=60.0, rest=1.1)
                continue
            parent = f"{other}{k - 1}" if k else "a0"  # the lower end of a link carries the next of the other hand
            at = (aj.Pose(), down, down @ down)[min(k, 2)]
            mech.add_body(f"{hand}{k}", parent, joints.Coupled(hinge, 2.0 * side, "a0"), at, solid.moved(middle), look)
    body = shapes.Ellipsoid(0.055, 0.03, 0.14, color="#e4572e", pose=aj.Pose.translation(0, 0, -0.26))
    tail = shapes.Ellipsoid(0.07, 0.008, 0.035, color="#f3a712", pose=aj.Pose.translation(0, 0, -0.42))
    eye = shapes.Sphere(0.01, color="#2f3542", pose=aj.Pose.translation(0.02, -0.024, -0.18))
    line = shapes.rod((0, 0, 0), (0, 0, -0.12), 0.004, "#2f3542")
    mech.add_body("fish", f"a{stages - 1}", joints.Universal(), middle, body.inertia(0.4), [line, body, tail, eye])
    mech.set_start([opening, 0.25, -opening], [0.0, 0.0, 0.6])
    return mech


if __name__ == "__main__":
    mech = build()
    traj = mech.compile().simulate(*mech.start, duration=DURATION, dt=DT, method=METHOD)
    print(traj.to_html("tongs_with_fish.html"))
