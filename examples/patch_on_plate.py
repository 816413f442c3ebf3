"""A curved patch rocks and slips on a smooth plate: its centre of mass moves up and down only.

Both surfaces are cubic Bezier patches. The plate can push along its normal and in no other way, so nothing moves the
centre of mass sideways: the patch slips just so far as it rocks. Contact coordinates know nothing of that; it comes out
of the dynamics, to the last digits.

Paper: Pai, Ascher & Kry, "Forward dynamics algorithms for multibody chains and contact", figure 2, eq. 13 and 14.
"""

import anyjoint as aj
from anyjoint import joints, shapes, surfaces

DURATION, DT, METHOD = 6.0, 1e-3, "rk4"
STEPS = (-0.5, -1 / 6, 1 / 6, 0.5)


def plate() -> surfaces.Bezier:
    """A flat patch of 3 x 3 metres, normal upward."""
    return surfaces.Bezier([[(3 * x, 3 * y, 0.0) for y in STEPS] for x in STEPS])


def shell() -> surfaces.Bezier:
    """A bowl of 1.2 x 1.2 metres with its corners up, one of them higher; normal downward, to its outside."""
    height = lambda x, y: 1.1 * x * x + 0.9 * y * y + 0.5 * x * y * y  # noqa: E731
    return surfaces.Bezier([[(-1.2 * x, 1.2 * y, height(x, y)) for y in STEPS] for x in STEPS])


def build(lean: float = 0.3, turn: float = 0.4) -> aj.Mechanism:
    """The shell at rest, leaning so that it touches the plate `lean` off its middle (at most 0.5)."""
    mech = aj.Mechanism("patch on plate", description=__doc__)
    floor, bowl = plate(), shell()
    mech.draw(shapes.surface(floor, color="#8fb8de", opacity=0.35), shapes.net(floor, color="#3d7ea6"))
    mass = shapes.Sphere(0.07, color="#c0392b", pose=aj.Pose.translation(0, 0, 0.25))
    skin = shapes.surface(bowl, color="#e6a15c", opacity=0.6)
    inertia = aj.Inertia(2.0, com=(0.0, 0.0, 0.25), tensor=[[0.12, 0, 0], [0, 0.14, 0], [0, 0, 0.2]])
    mech.add_body("shell", None, joints.Contact(floor, bowl), inertia=inertia, shape=[skin, mass])
    mech.set_start([0.5, 0.5, 0.5 + lean, 0.5 + 0.7 * lean, turn], [0.0] * 5)
    return mech


if __name__ == "__main__":
    mech = build()
    traj = mech.compile().simulate(*mech.start, duration=DURATION, dt=DT, method=METHOD)
    print(traj.to_html("patch_on_plate.html"))
