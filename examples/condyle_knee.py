"""A knee of two surfaces: the round end of the thigh bone slides and rocks on the plateau of the shin.

A hinge has one axis, a four-bar knee one path. Here the bones themselves touch: an ellipsoid on a shallow dish. Four
coordinates tell where the contact is on either bone; springs stand for the ligaments, which let the knee bend and hold
it in all other ways. The axis about which the leg turns comes out, it is nowhere put in.

Papers: Guenter & Lee, eq. 15 and section 7; Si & Guenter, section 6 (knees in human figures).
"""

import math

import anyjoint as aj
from anyjoint import joints, shapes, surfaces

DURATION, DT, METHOD = 6.0, 1e-3, "rk4"
CONDYLE = surfaces.Ellipsoid(0.034, 0.045, 0.026, axis="y")  # poles to the sides: u is the angle of bending
PLATEAU = surfaces.surface(lambda u, v: (u, v, 2.0 * (u * u + v * v)), domain=((-0.03, 0.03), (-0.04, 0.04)))
LEG = 0.42


def build(start: float = 2.0) -> aj.Mechanism:
    """A sitting person's leg, let go half stretched; the foot hangs on a spring."""
    mech = aj.Mechanism("condyle knee", description=__doc__)
    ivory, sand = "#f1ece2", "#e8cfa6"
    mech.draw(shapes.rod((-0.45, 0, 0.01), (-0.01, 0, 0.01), 0.028, ivory))
    mech.draw(shapes.Ellipsoid(0.034, 0.045, 0.026, color=sand))
    bone, dish = shapes.rod((0, 0, -0.015), (0, 0, -LEG), 0.024, ivory), shapes.surface(PLATEAU, color="#3d7ea6")
    # Bending, leaning sideways, gliding back and aside: only the first is free.
    shin = mech.add_body(
        "shin", None, joints.SurfaceSurface(CONDYLE, PLATEAU), None, bone.inertia(3.5), [bone, dish],
        stiffness=(0.0, 40.0, 3000.0, 3000.0), damping=(0.02, 0.4, 6.0, 6.0), rest=(math.pi, math.pi / 2, 0.0, 0.0),
    )  # fmt: skip
    foot = shapes.Box(0.22, 0.08, 0.06, color=sand, pose=aj.Pose.translation(-0.06, 0, -0.03))
    ankle = aj.Pose.translation(0, 0, -LEG - 0.01)
    mech.add_body("foot", shin, joints.Revolute((0, 1, 0)), ankle, foot.inertia(0.9), foot, stiffness=3.0, damping=0.05)
    mech.set_start([start, math.pi / 2, 0.0, 0.0, 0.0])
    return mech


if __name__ == "__main__":
    mech = build()
    traj = mech.compile().simulate(*mech.start, duration=DURATION, dt=DT, method=METHOD)
    print(traj.to_html("condyle_knee.html"))
