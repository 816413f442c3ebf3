"""Lagrange's top: a spinning top that nods while it precesses, in a joint of one's own.

Three angles of Euler make the joint; it is four lines of Python, and nothing else is asked of its author. Let go with
spin but no precession, the axis falls, turns away and rises again: its tip draws cusps.
"""

import anyjoint as aj
from anyjoint import shapes

DURATION, DT, METHOD = 8.0, 5e-4, "rk4"


@aj.joint(dof=3, names=["precession", "nutation", "spin"], domain=[(-3, 3), (0.1, 3), (-3, 3)], neutral=[0, 0.5, 0])
def on_its_tip(q):
    """Rot_z(precession) Rot_x(nutation) Rot_z(spin); upright (nutation 0) is the one singular place."""
    return aj.Pose.rotation_z(q[0]) @ aj.Pose.rotation_x(q[1]) @ aj.Pose.rotation_z(q[2])


def build(spin: float = 60.0, tilt: float = 0.5) -> aj.Mechanism:
    """A top of half a kilogram, tilted, let go with `spin` rad/s."""
    mech = aj.Mechanism("Lagrange top", description=__doc__)
    mech.draw(shapes.Cylinder(0.03, 0.3, color="#8a97a8", pose=aj.Pose.translation(0, 0, -0.16)))
    up = aj.Pose.translation(0, 0, 0.2)
    disc = shapes.Cylinder(0.14, 0.05, color="#e4572e", pose=up)
    marks = [shapes.Sphere(0.03, color="#f3a712", pose=up @ aj.Pose.translation(0.11, s, 0.0)) for s in (-0.04, 0.04)]
    stem = shapes.rod((0, 0, 0.01), (0, 0, 0.42), 0.012, "#2f3542")
    tip = shapes.Sphere(0.022, color="#2f3542", pose=aj.Pose.translation(0, 0, 0.43))
    mech.add_body("top", None, on_its_tip, inertia=disc.inertia(0.5), shape=[disc, *marks, stem, tip])
    mech.set_start([0.0, tilt, 0.0], [0.0, 0.0, spin])
    return mech


if __name__ == "__main__":
    mech = build()
    traj = mech.compile().simulate(*mech.start, duration=DURATION, dt=DT, method=METHOD)
    print(traj.to_html("lagrange_top.html"))
