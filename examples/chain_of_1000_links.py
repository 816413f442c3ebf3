"""A chain of a thousand links, pulled aside and let go: a thousand coordinates in linear time.

Run time grows with the number of links, not with its cube, and compile time does not grow at all: bodies of the same
class share one kernel. Hinges turn about y and x in turn, so that the chain may leave its plane.
"""

import anyjoint as aj
from anyjoint import joints, shapes

DURATION, DT, METHOD = 8.0, 1e-3, "rk4"


def build(n: int = 1000, length: float = 0.05) -> aj.Mechanism:
    """n links of `length` metres, at first pulled aside in an arc."""
    mech = aj.Mechanism("chain of 1000 links" if n == 1000 else f"chain of {n} links", description=__doc__)
    hinges = joints.Revolute((0, 1, 0)), joints.Revolute((1, 0, 0))
    middle = aj.Pose.translation(0, 0, -length / 2)
    solid = aj.Inertia.capsule(0.05, 0.2 * length, length).moved(middle)
    step = aj.Pose.translation(0, 0, -length)
    for k in range(n):
        look = shapes.Capsule(4 * length, length, color=shapes.shade(k, n), pose=middle)  # thick, to be seen from afar
        parent, placement = (mech.bodies[-1], step) if k else (None, None)
        mech.add_body(f"link {k}", parent, hinges[k % 2], placement, solid, look)
    mech.set_start([-0.9 if k == 0 else 0.004 if k % 2 == 0 else 0.0013 for k in range(n)])
    return mech


if __name__ == "__main__":
    mech = build()
    traj = mech.compile().simulate(*mech.start, duration=DURATION, dt=DT, method=METHOD)
    print(traj.to_html("chain_of_1000_links.html"))
