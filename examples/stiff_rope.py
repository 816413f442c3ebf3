"""A stiff rope of a thousand links: held level at one end, it bends under its weight, swings and comes to rest.

Every link resists bending. Explicit steps would have to follow the quickest waves in it, a thousand times a
millisecond; implicit ones feel the springs as they will be at the end of the step. Springs of joints go into the pivots
of the articulated-body method, so that a step costs as much as an explicit one, and a thousand links ten times a
hundred. `python -m bench.rope` measures both.
"""

import anyjoint as aj
from anyjoint import joints, shapes

DURATION, DT, METHOD = 8.0, 2e-3, "implicit-euler"
LENGTH, MASS = 6.0, 3.0  # of the whole rope


def build(n: int = 1000, bending: float = 400.0, damping: float = 10.0, aside: float = 0.8) -> aj.Mechanism:
    """n links, of bending stiffness `bending` N m^2, the first of them clamped; at first bent `aside` radians."""
    mech = aj.Mechanism("stiff rope", description=__doc__)
    length = LENGTH / n
    middle = aj.Pose.translation(length / 2, 0, 0) @ aj.Pose.rotation_y(1.5707963267948966)
    solid = aj.Inertia.capsule(MASS / n, 0.2 * length, length).moved(middle)
    mech.draw(shapes.Box(0.3, 0.5, 0.5, color="#39414f", pose=aj.Pose.translation(-0.15, 0, 0)))
    hinges = joints.Revolute("y"), joints.Revolute("z")
    for k in range(n):
        look = shapes.Capsule(0.045, length, color=shapes.shade(k, n), pose=middle)  # thick, to be seen from afar
        parent, place = (mech.bodies[-1], aj.Pose.translation(length, 0, 0)) if k else (None, None)
        # Hinges about y and z in turn, each of which bends for two links.
        held = {"stiffness": bending / (2 * length), "damping": damping / (2 * length)}
        mech.add_body(f"link {k}", parent, hinges[k % 2], place, solid, look, **held)
    mech.set_start([2 * aside / n if k % 2 else 0.0 for k in range(n)])
    return mech


if __name__ == "__main__":
    mech = build()
    traj = mech.compile().simulate(*mech.start, duration=DURATION, dt=DT, method=METHOD)
    print(traj.to_html("stiff_rope.html"))
