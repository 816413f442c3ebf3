"""Newton's cradle: one ball swings in, and the one at the other end swings out.

Bodies touch bodies by balls against signed distances. The contacts are springs that the steps resolve, so that nearly
nothing is lost; the middle balls hand the push on.
"""

import math

import anyjoint as aj
from anyjoint import distances, joints, shapes

DURATION, DT, METHOD = 4.0, 2e-5, "time-stepping"
RADIUS, LENGTH = 0.05, 0.5


def build(balls: int = 5, angle: float = 0.6, stiffness: float = 3e5, gap: float = 1e-5) -> aj.Mechanism:
    """Balls side by side, the first one drawn aside by `angle` radians."""
    mech = aj.Mechanism("Newton's cradle", description=__doc__)
    hang = aj.Pose.translation(0, 0, -LENGTH)
    middle = (balls - 1) * RADIUS
    for k in range(balls):
        ball = shapes.Sphere(RADIUS, color="#aab4bf", pose=hang)
        wires = [shapes.rod((0, y, 0), (0, 0, -LENGTH), 0.002, color="#3c4654") for y in (-0.2, 0.2)]
        place = aj.Pose.translation(k * (2 * RADIUS + gap) - middle, 0, LENGTH + 0.1)
        mech.add_body(f"ball {k}", joint=joints.Revolute("y"), placement=place, inertia=ball.inertia(1.0),
                      shape=[ball, *wires])  # fmt: skip
    for k in range(1, balls):
        touching = shapes.Sphere(RADIUS, pose=hang)
        mech.add_contact(f"ball {k}", touching, on=distances.Sphere(RADIUS), of=f"ball {k - 1}", at=hang,
                         stiffness=stiffness)  # fmt: skip
    for y in (-0.2, 0.2):
        mech.draw(shapes.rod((-0.35, y, LENGTH + 0.1), (0.35, y, LENGTH + 0.1), 0.008, color="#2b2f36"))
    mech.set_start([angle] + [0.0] * (balls - 1))
    return mech


if __name__ == "__main__":
    mech = build()
    traj = mech.compile().simulate(*mech.start, duration=DURATION, dt=DT, method=METHOD, save_every=100)
    print(f"the last ball swings out to {abs(traj.q[:, -1]).max():.3f} rad of {math.fabs(mech.start[0][0]):.3f}")
    print(traj.to_html("newtons_cradle.html"))
