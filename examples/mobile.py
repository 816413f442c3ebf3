"""A mobile: bars that hang from bars, each with a weight at one end and the next bars at the other.

Trees branch: what hangs from the two ends of a bar moves on its own and is felt through the bar. Forward dynamics
walks from the leaves to the root once, so a tree costs as much as a chain of the same number of bodies.

Paper: RedMax supplement, scene 2 (branching), as a tree of our own choice.
"""

import anyjoint as aj
from anyjoint import joints, shapes

DURATION, DT, METHOD = 10.0, 1e-3, "rk4"


def bar(half: float, drop: float, weight: float, color: str) -> tuple[aj.Inertia, list[shapes.Shape]]:
    """A bar of 2 `half` in x that hangs `drop` below its hinge, with weights at its ends."""
    beam = shapes.rod((-half, 0, -drop), (half, 0, -drop), 0.012, color)
    wire = shapes.rod((0, 0, 0), (0, 0, -drop), 0.005, "#5b6470")
    balls = [shapes.Sphere(0.05, color=color, pose=aj.Pose.translation(x, 0, -drop)) for x in (-half, half)]
    left, right = (ball.inertia(weight / 2) for ball in balls)
    return left + right, [beam, wire, *balls]


def build(levels: int = 4, lean: float = 0.35) -> aj.Mechanism:
    """A tree of `levels` levels of bars in a plane, released leaning."""
    mech = aj.Mechanism("mobile", description=__doc__)
    ends = [(None, aj.Pose.identity())]
    for level in range(levels):
        half, drop = 0.8 * 0.5**level, 0.25
        solid, look = bar(half, drop, 0.5**level, shapes.shade(level, levels))
        bodies = [
            mech.add_body(f"bar {level}{chr(97 + k)}", parent, joints.Revolute("y"), place, solid, look)
            for k, (parent, place) in enumerate(ends)
        ]
        ends = [(body, aj.Pose.translation(x, 0, -drop)) for body in bodies for x in (-half, half)]
    mech.set_start([lean * (-0.7) ** k for k in range(mech.nv)], [0.0] * mech.nv)
    return mech


if __name__ == "__main__":
    mech = build()
    traj = mech.compile().simulate(*mech.start, duration=DURATION, dt=DT, method=METHOD)
    print(traj.to_html("mobile.html"))
