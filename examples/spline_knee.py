"""A knee that glides along eight control frames: a spline on the rigid motions.

A biomechanist measures where the shin is at a few angles of the knee. A cumulative B-spline through those poses is a
joint of one coordinate, twice differentiable across all its pieces; its Jacobian comes from the product rule.

Papers: RedMax supplement, section 5.2 and algorithm 4, after Lee & Terzopoulos, "Spline joints for multibody dynamics".
"""

import math

import anyjoint as aj
from anyjoint import joints, shapes

DURATION, DT, METHOD = 6.0, 1e-3, "rk4"


def control_frames(n: int = 8) -> list[aj.Pose]:
    """The shin at n angles of the knee: while it bends, it rolls back on the thigh and turns a little inwards."""
    frames = []
    for k in range(n):
        bend = math.radians(-30 + 240 * k / (n - 1))
        roll_back = aj.Pose.translation(0.055 * math.cos(bend) - 0.01 * bend, 0, -0.04 * math.sin(bend))
        frames.append(roll_back @ aj.Pose.rotation_y(bend) @ aj.Pose.rotation_x(0.12 * math.sin(bend)))
    return frames


def build(start: float = 1.1) -> aj.Mechanism:
    """A sitting person's leg, let go with the knee half stretched; the foot hangs on a spring."""
    mech = aj.Mechanism("spline knee", description=__doc__)
    ivory, sand = "#f1ece2", "#e8cfa6"
    mech.draw(shapes.rod((-0.5, 0, 0), (0, 0, 0), 0.032, ivory))
    for side in (-0.025, 0.025):
        mech.draw(shapes.Ellipsoid(0.05, 0.022, 0.042, color=sand, pose=aj.Pose.translation(0, side, 0)))
    bone, plateau = shapes.rod((0.02, 0, 0), (0.42, 0, 0), 0.025, ivory), shapes.Cylinder(0.042, 0.02, color="#3d7ea6")
    plate = shapes.Group([plateau], pose=aj.Pose.rotation_y(math.pi / 2))
    knee = joints.SplineCurve(control_frames())
    shin = mech.add_body("shin", None, knee, inertia=bone.inertia(3.5), shape=[bone, plate], damping=0.01)
    foot = shapes.Box(0.07, 0.08, 0.22, color=sand, pose=aj.Pose.translation(0.03, 0, 0.06))
    ankle = aj.Pose.translation(0.44, 0, 0)
    mech.add_body("foot", shin, joints.Revolute((0, 1, 0)), ankle, foot.inertia(0.9), foot, stiffness=3.0, damping=0.05)
    mech.set_start([start, 0.0])
    return mech


if __name__ == "__main__":
    mech = build()
    traj = mech.compile().simulate(*mech.start, duration=DURATION, dt=DT, method=METHOD)
    print(traj.to_html("spline_knee.html"))
