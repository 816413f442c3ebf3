"""A chain of ball joints and universal joints, swinging and turning.

A universal joint is Rot_x(a) Rot_y(b). A ball joint takes a rotation vector: it has no gimbal lock, and where it wears
out, near a full turn, it is rewritten between two steps (velocities included) without anybody noticing.

Paper: RedMax supplement, section 4.6 (universal joint) and section 4.7 (spherical joint, reparameterised).
"""

import anyjoint as aj
from anyjoint import joints, shapes

DURATION, DT, METHOD = 10.0, 1e-3, "rk4"


def build(n: int = 10, length: float = 0.3) -> aj.Mechanism:
    """n links, joined by balls and universals in turn, raised sideways and given a twist."""
    mech = aj.Mechanism("spherical and universal joints", description=__doc__)
    mech.draw(shapes.Sphere(0.05, color="#2f3542"))
    middle = aj.Pose.translation(0, 0, -length / 2)
    solid = aj.Inertia.ellipsoid(0.4, 0.08, 0.04, length / 2).moved(middle)
    q, v = [], []
    for k in range(n):
        ball = k % 2 == 0
        joint = joints.Spherical() if ball else joints.Universal()
        knob = shapes.Sphere(0.045, color="#f1ece2") if ball else shapes.Box(0.07, 0.07, 0.07, color="#2f3542")
        link = shapes.Ellipsoid(0.08, 0.04, length / 2, color=shapes.shade(k, n), pose=middle)
        placement = aj.Pose.translation(0, 0, -length) if k else None
        mech.add_body(f"link {k}", mech.bodies[-1] if k else None, joint, placement, solid, [link, knob])
        q += [0.2, -1.2 if k == 0 else -0.1, 0.3] if ball else [0.15, -0.1]
        v += [0.0, 0.0, 3.0] if ball else [0.0, 0.0]
    mech.set_start(q, v)
    return mech


if __name__ == "__main__":
    mech = build()
    traj = mech.compile().simulate(*mech.start, duration=DURATION, dt=DT, method=METHOD)
    print(traj.to_html("spherical_and_universal.html"))
