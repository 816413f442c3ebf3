"""A cairn: pebbles balanced on one another that rock and turn, and never slip.

Every pebble is an ellipsoid that rolls on the ellipsoid below, by `joints.Rolling`: three velocities each, no
multipliers, linear time. A pebble stays up if it is flat: 1/h > 1/R1 + 1/R2, with its middle at height h above the
contact and the radii of curvature R1 and R2 there. Rolling is not holonomic: pebbles that rock come back turned.

Paper: Pai, Ascher & Kry, "Forward dynamics algorithms for multibody chains and contact", section 6, eq. 9-12.
"""

import math

import anyjoint as aj
from anyjoint import joints, shapes, surfaces

DURATION, DT, METHOD = 12.0, 2e-3, "rk4"
SIZES = [(0.80, 0.66, 0.22), (0.62, 0.52, 0.14), (0.48, 0.40, 0.11), (0.36, 0.31, 0.085), (0.25, 0.21, 0.06)]
COLORS = ["#8a97a8", "#b7a78f", "#5f6f80", "#c9bda8", "#e4572e"]
TOP, BOTTOM = (math.pi / 2, math.pi / 2), (-math.pi / 2, math.pi / 2)  # u and v there


def pebble(size):
    """A pebble as a surface; the poles of its chart are at its ends, far from where it is touched."""
    return surfaces.Ellipsoid(*size, axis="x")


def build(push: float = 0.35) -> aj.Mechanism:
    """Four pebbles on a stone that lies still; the lowest of them is pushed at `push` rad/s."""
    mech = aj.Mechanism("cairn", description=__doc__)
    mech.draw(shapes.Cylinder(1.3, 0.06, color="#e8cfa6", pose=aj.Pose.translation(0, 0, -0.25)))
    mech.draw(shapes.Ellipsoid(*SIZES[0], color=COLORS[0]))
    below, q, v = None, [], []
    for k in range(1, len(SIZES)):
        a, b, c = SIZES[k]
        shape = shapes.Ellipsoid(a, b, c, color=COLORS[k])
        vein = [(1.004 * a * math.cos(t), 0, 1.004 * c * math.sin(t)) for t in (math.pi * i / 40 for i in range(81))]
        look = [shape, shapes.Tube(vein, 0.006, color="#f1ece2")]
        roll = joints.Rolling(pebble(SIZES[k - 1]), pebble(SIZES[k]))
        below = mech.add_body(f"pebble {k}", below, roll, None, shape.inertia(2600 * 4.19 * a * b * c), look)
        q += [*TOP, *BOTTOM, 0.6 * k]
        v += [push, 0.5 * push, 0.3] if k == 1 else [0.0, 0.0, 0.0]
    mech.set_start(q, v)
    return mech


if __name__ == "__main__":
    mech = build()
    traj = mech.compile().simulate(*mech.start, duration=DURATION, dt=DT, method=METHOD)
    print(traj.to_html("cairn.html"))
