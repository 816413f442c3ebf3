"""A board slides out of one bowl, takes off over the edge, and lands in the next.

Papers: Si and Guenter slide a board over a spline surface by a bilateral joint; Pai, Ascher and Kry watch the contact
force, and let contact break where it would pull. Here it does, and forms again: flight, impact, sliding.
"""

import math

import anyjoint as aj
from anyjoint import joints, shapes, surfaces

DURATION, DT, METHOD = 2.5, 1e-3, "rk4"


def bowls(u, v):
    """Bowls in a row, over the point (u, v) of the floor."""
    return u, v, -0.4 * aj.cos(1.5 * u) + 0.15 * v * v


def build(speed: float = 6.5, friction: float = 0.05, restitution: float = 0.1) -> aj.Mechanism:
    """A board at the bottom of the first bowl, at `speed` m/s towards its edge and a little across."""
    mech = aj.Mechanism("board leaves a bowl", description=__doc__)
    ground = surfaces.surface(bowls, domain=((-2.1, 8.4), (-1.4, 1.4)))
    mech.draw(shapes.surface(ground, color="#8fb8de", opacity=0.4), shapes.net(ground, color="#3d7ea6"))
    belly = surfaces.Ellipsoid(0.28, 0.12, 0.1)
    board = shapes.Ellipsoid(0.28, 0.12, 0.1, color="#e07a5f")
    nose = shapes.Sphere(0.03, color="#1c2333", pose=aj.Pose.translation(0.27, 0, 0))
    inertia = aj.Inertia(mass=3.0, com=(0, 0, -0.03), tensor=[[0.02, 0, 0], [0, 0.07, 0], [0, 0, 0.08]])
    mech.add_contact_body(
        "board", surfaces=(ground, belly), friction=friction, restitution=restitution, start="sliding",
        inertia=inertia, shape=[board, nose],
    )  # fmt: skip
    # The start as a pose and a twist, carried over to contact coordinates.
    pose, twist = [1, 0, 0, 0, 0, 0, -0.3], [0, 0, 0, speed, 0.3, 0]
    near = [0, 0, 0, 2.5 * math.pi, 0]
    mech.set_start(*joints.rechart(joints.FreeQuaternion(), mech.bodies[0].joint, pose, twist, near))
    return mech


if __name__ == "__main__":
    mech = build()
    traj = mech.compile().simulate(*mech.start, duration=DURATION, dt=DT, method=METHOD)
    print(traj.to_html("board_leaves_bowl.html"))
