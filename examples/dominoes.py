"""Dominoes in a row: a ball swings against the first one, and each knocks over the next.

Upper edges touch the faces of neighbours: corners of one box against the signed distance of the other, both ways, and
all corners against the table, in one convex step. The wave finds its own speed.
"""

import math

import anyjoint as aj
from anyjoint import distances, joints, shapes

DURATION, DT, METHOD = 2.0, 1e-3, "time-stepping"
SIZE = (0.012, 0.04, 0.08)  # thickness, width, height
BALL, STRING = 0.02, 0.16


def edge(front: int) -> list[tuple[float, float, float]]:
    """The upper corners in front or behind."""
    x, y, z = SIZE
    return [(front * x / 2, side * y / 2, z / 2) for side in (-1, 1)]


def build(n: int = 12, gap: float = 0.036, friction: float = 0.3, bend: float = 0.12) -> aj.Mechanism:
    """n dominoes `gap` metres apart, each turned by `bend` radians against the one before, and a ball."""
    mech, place = aj.Mechanism("dominoes", description=__doc__), aj.Pose.translation
    mech.draw(shapes.Cylinder(0.28, 0.012, color="#e4d9c4", pose=place(0.14, -0.11, -0.006)))
    ball = shapes.Sphere(BALL, color="#30343f", pose=place(0, 0, -STRING))
    string = shapes.rod((0, 0, 0), (0, 0, -STRING), 0.0015, "#30343f")
    hung = place(-SIZE[0] / 2 - BALL, 0, 0.8 * SIZE[2] + STRING)
    mech.add_body("ball", None, joints.Revolute("y"), hung, ball.inertia(0.15), [ball, string], damping=2e-3)
    x, y, start, box = 0.0, 0.0, [0.9], distances.Box(*SIZE)
    for k in range(n):
        name, last, turn = f"domino {k}", f"domino {k - 1}", -bend * k
        stone = shapes.Box(*SIZE, color=shapes.shade(k, n))
        mech.add_body(name, joint=joints.FreeQuaternion(), inertia=stone.inertia(0.03), shape=stone)
        mech.add_contact(name, friction=0.6)
        if k:
            mech.add_contact(last, edge(1), on=box, of=name, friction=friction)
            mech.add_contact(name, edge(-1), on=box, of=last, friction=friction)
        start += [math.cos(turn / 2), 0, 0, math.sin(turn / 2), x, y, SIZE[2] / 2]
        x, y = x + gap * math.cos(turn - bend / 2), y + gap * math.sin(turn - bend / 2)
    mech.add_contact("ball", ball, on=box, of="domino 0")
    mech.set_start(start)
    return mech


if __name__ == "__main__":
    mech = build()
    traj = mech.compile().simulate(*mech.start, duration=DURATION, dt=DT, method=METHOD)
    print(traj.to_html("dominoes.html"))
