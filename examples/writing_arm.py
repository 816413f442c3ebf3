"""An arm that writes an eight: inverse kinematics says where its joints have to go, servos take them there.

The pen is a frame, `mech.add_frame("pen", ...)`. `model.inverse_kinematics({"pen": targets})` finds coordinates for the
whole curve at once, the pen upright all the way: each target is a matrix (4, 4), and limits of joints hold.
"""

import numpy as np

import anyjoint as aj
from anyjoint import forces, joints, shapes

DURATION, DT, METHOD = 8.0, 1e-3, "rk4"
AXES = ((0, 0, 1), (0, 1, 0), (0, 1, 0), (0, 1, 0), (0, 0, 1))
LENGTHS = (0.25, 0.45, 0.4, 0.1, 0.12)
HOME = (0.0, 0.4, 1.4, 1.34, 0.0)


def build(damping: float = 2.0) -> aj.Mechanism:
    """Five hinges with limits; the last link holds a pen."""
    mech = aj.Mechanism("writing arm", description=__doc__)
    mech.draw(shapes.Cylinder(0.14, 0.04, color="#3a3f4b"), shapes.Box(0.5, 0.9, 0.01, color="#f7f5ef",
              pose=aj.Pose.translation(0.55, 0, 0.0)))  # fmt: skip
    colors, body, before = ("#3a3f4b", "#e06c4f", "#e8a04f", "#3a3f4b", "#4f7be0"), None, 0.0
    for k, (axis, length) in enumerate(zip(AXES, LENGTHS, strict=True)):
        rod = shapes.rod((0, 0, 0), (0, 0, length), 0.045 - 0.007 * k, colors[k])
        place = aj.Pose.translation(0, 0, before)
        joint = joints.Revolute(axis, (-2.8, 2.8))
        solid, geared = rod.inertia(3.0 - 0.5 * k), {"damping": damping, "armature": 0.1}
        body = mech.add_body(f"link{k}", body, joint, place, solid, rod, **geared)
        before = length
    mech.add_frame("pen", body, aj.Pose.translation(0, 0, LENGTHS[-1]))
    mech.set_start(HOME)
    return mech


def eight(count: int = 200) -> np.ndarray:
    """Poses of the pen along an eight on the table, pointing down."""
    t, T = np.linspace(0, 2 * np.pi, count), np.tile(np.diag([-1.0, 1.0, -1.0, 1.0]), (count, 1, 1))
    T[:, :3, 3] = np.stack([0.55 + 0.1 * np.sin(2 * t), 0.25 * np.sin(t), np.full(count, 0.02)], axis=1)
    return T


if __name__ == "__main__":
    model = build().compile()
    found = model.inverse_kinematics({"pen": eight()}, HOME)
    times = np.linspace(0, DURATION, len(found.q))
    servos = [forces.Servo(f"link{k}", lambda t, k=k: np.interp(t, times, found.q[:, k]), 4e3, 80.0) for k in range(5)]
    traj = model.simulate(found.q[0], duration=DURATION, dt=DT, method=METHOD, forces=servos)
    print(traj.to_html("writing_arm.html"))
