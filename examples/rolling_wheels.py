"""Wheels that roll in one another without ever slipping, with no constraint to enforce.

Rolling on a track is holonomic: the arc length L decides how far the wheel has turned. So the pose is a function of
one coordinate, C(s) Trans_y(r) Rot_z(-L(s)/r), and slipping is impossible at any step size, on any curve.

Paper: Guenter & Lee, "Symbolic Lagrangian multibody dynamics", Fig. 5(c).
"""

import math

import anyjoint as aj
from anyjoint import curves, joints, shapes

DURATION, DT, METHOD = 10.0, 1e-3, "rk4"
UPRIGHT, BOTTOM = aj.Pose.rotation_x(math.pi / 2), -math.pi / 2  # a plane on its edge; the low place of a circle


def hills(s):
    """A road with a valley."""
    return s, 0.12 * s * s - 0.25 * aj.cos(2 * s), 0


def add_wheel(mech, name, parent, track, placement, radius, hole, color):
    """A wheel with a rim, and a weight on the rim that makes it roll unevenly."""
    thick = (radius - hole) / 2
    weight = shapes.Sphere(1.4 * thick, color="#3d7ea6", pose=aj.Pose.translation(radius - thick, 0, 0))
    rim = shapes.Torus(radius - thick, thick, color=color)
    inertia = rim.inertia(4 * radius) + weight.inertia(radius)
    return mech.add_body(name, parent, joints.RollingWheel(radius, track), placement, inertia, [rim, weight])


def build() -> aj.Mechanism:
    """Three wheels in one another in half a circle, and one on a road: 4 coordinates."""
    mech = aj.Mechanism("rolling wheels", description=__doc__)
    trough, road = curves.Circle(1.5), curves.curve(hills, domain=(-2.2, 2.2))
    behind = aj.Pose.translation(0, 1.2, -1.2) @ UPRIGHT
    for curve, start, stop, pose in ((trough, -math.pi, 0.0, UPRIGHT), (road, -2.2, 2.2, behind)):
        mech.draw(shapes.curve(curve, start, stop, radius=0.03, color="#8a97a8", pose=pose))
    outer = add_wheel(mech, "outer", None, trough, UPRIGHT, 0.55, 0.45, "#e4572e")
    middle = add_wheel(mech, "middle", outer, curves.Circle(0.45), None, 0.22, 0.16, "#2a9d8f")
    add_wheel(mech, "inner", middle, curves.Circle(0.16), None, 0.07, 0.03, "#f3a712")
    add_wheel(mech, "traveller", None, road, behind, 0.3, 0.2, "#7d5ba6")
    mech.set_start([BOTTOM + 0.8, -4.47, -10.72, -1.9])  # the inner wheels at the low places of those around them
    return mech


if __name__ == "__main__":
    mech = build()
    traj = mech.compile().simulate(*mech.start, duration=DURATION, dt=DT, method=METHOD)
    print(traj.to_html("rolling_wheels.html"))
