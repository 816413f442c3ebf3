"""A quadruped with springs in its joints is dropped, lands on its four feet, and stands.

Each foot is a ball that touches the ground: normal force, friction and the stops of the joints are one convex step in
linear time, in which the springs of the joints are implicit. The feet do not move while it stands.
"""

import anyjoint as aj
from anyjoint import joints, shapes

DURATION, DT, METHOD = 3.0, 2e-3, "time-stepping"
THIGH, SHANK, FOOT = 0.28, 0.3, 0.03
BEND = 0.7  # of the hips, and twice as much of the knees


def build(drop: float = 0.35, stiffness: float = 220.0, damping: float = 6.0) -> aj.Mechanism:
    """A trunk on four legs of three hinges each, held `drop` metres above the ground."""
    mech = aj.Mechanism("quadruped", description=__doc__)
    trunk = shapes.Box(0.6, 0.26, 0.16, color="#c4463a")
    mech.add_body("trunk", joint=joints.FreeQuaternion(), inertia=trunk.inertia(18.0), shape=trunk)
    springs = {"stiffness": stiffness, "damping": damping}
    start = [1.0, 0, 0, 0, 0.02, 0, drop + 0.5]
    for front in (1, -1):
        for side in (1, -1):
            leg, bend = f"{'front' if front > 0 else 'hind'} {'left' if side > 0 else 'right'}", front * BEND
            hip = shapes.Sphere(0.06, color="#3b4252")
            place = aj.Pose.translation(front * 0.26, side * 0.17, 0)
            mech.add_body(f"{leg} hip", "trunk", joints.Revolute("x", limits=(-0.6, 0.6)), place, hip.inertia(1.2), hip,
                          **springs)  # fmt: skip
            thigh = shapes.rod((0, 0, 0), (0, 0, -THIGH), 0.035, color="#4c566a")
            mech.add_body(f"{leg} thigh", f"{leg} hip", joints.Revolute("y", limits=(-1.5, 1.5)), None,
                          thigh.inertia(1.4), thigh, rest=bend, **springs)  # fmt: skip
            shank = shapes.rod((0, 0, 0), (0, 0, -SHANK), 0.022, color="#4c566a")
            foot = shapes.Sphere(FOOT, color="#2e3440", pose=aj.Pose.translation(0, 0, -SHANK))
            mech.add_body(f"{leg} shank", f"{leg} thigh", joints.Revolute("y", limits=(-2.6, 2.6)),
                          aj.Pose.translation(0, 0, -THIGH), shank.inertia(0.5) + foot.inertia(0.1), [shank, foot],
                          rest=-2 * bend, **springs)  # fmt: skip
            mech.add_contact(f"{leg} shank", foot, friction=0.8, name=f"{leg} foot")
            start += [0.0, bend, -2 * bend]
    mech.set_start(start, [0.2, 0.5, 0.0, 0.6, 0, 0] + [0.0] * 12)
    return mech


if __name__ == "__main__":
    mech = build()
    traj = mech.compile().simulate(*mech.start, duration=DURATION, dt=DT, method=METHOD)
    weight = 9.81 * sum(body.inertia.mass for body in mech.bodies)
    borne = sum(float(track.force[-1, 2]) for track in traj.contacts.values())
    print(f"its feet bear {borne:.3f} N; it weighs {weight:.3f} N")
    print(traj.to_html("quadruped.html"))
