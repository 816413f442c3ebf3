"""The Furuta pendulum: a hinge that turns about the vertical carries a pendulum that swings across it.

Two coordinates, strongly coupled: the swinging pendulum throws the arm about, the turning arm swings the pendulum out.
Control engineers balance the pendulum upright by turning the arm; here it falls from nearly upright.
"""

import anyjoint as aj
from anyjoint import joints, shapes

DURATION, DT, METHOD = 12.0, 1e-3, "rk4"


def build(arm: float = 0.4, length: float = 0.5, tilt: float = 0.15) -> aj.Mechanism:
    """An arm of `arm` metres, a pendulum of `length` metres, `tilt` radians from upright."""
    mech = aj.Mechanism("Furuta pendulum", description=__doc__)
    mech.draw(shapes.Cylinder(0.07, 0.6, color="#2f3542", pose=aj.Pose.translation(0, 0, -0.33)))
    beam = shapes.rod((0, 0, 0), (arm, 0, 0), 0.022, "#3d7ea6")
    knob = shapes.Sphere(0.04, color="#2f3542")
    turn, swing = joints.Revolute((0, 0, 1)), joints.Revolute((1, 0, 0))
    base = mech.add_body("arm", None, turn, inertia=beam.inertia(0.3), shape=[beam, knob], damping=0.002)
    bob = shapes.Sphere(0.05, color="#e4572e", pose=aj.Pose.translation(0.03, 0, length))
    rod = shapes.rod((0.03, 0, 0), (0.03, 0, length), 0.012, "#f3a712")
    inertia = rod.inertia(0.05) + bob.inertia(0.2)
    mech.add_body("pendulum", base, swing, aj.Pose.translation(arm, 0, 0), inertia, [rod, bob])
    mech.set_start([0.0, tilt])
    return mech


if __name__ == "__main__":
    mech = build()
    traj = mech.compile().simulate(*mech.start, duration=DURATION, dt=DT, method=METHOD)
    print(traj.to_html("furuta_pendulum.html"))
