"""Twenty tori that hang in one another, swinging: 78 coordinates and not a single constraint.

Two solids that touch can slide in four ways: two coordinates say where the contact is on one surface, two where it is
on the other. The pose is a product of two surface frames, S1 flip S2^-1, and that is all there is to say: anyjoint
differentiates it. The first torus slides over a fixed point (two coordinates), every other inside the one above.

Such a contact is bilateral: the surfaces always touch, neither part nor press, and nothing tells inside from outside. A
wild swing would carry a torus over its neighbour's tube and out of the chain; some friction, `damping`, prevents that.

Papers: Si & Guenter, "Linear-time dynamics for multibody systems with general joint models", Fig. 1 (TC20);
Guenter & Lee, "Symbolic Lagrangian multibody dynamics", Fig. 5(b) and eq. 15.
"""

import math

import anyjoint as aj
from anyjoint import joints, shapes, surfaces

DURATION, DT, METHOD = 10.0, 1e-3, "rk4"


def build(
    n: int = 20, major: float = 0.2, minor: float = 0.05, bend: float = 0.09, damping: float = 0.05
) -> aj.Mechanism:
    """n tori; at the start each is tilted by `bend` against the one above. `damping` of the sliding is in N m s."""
    mech = aj.Mechanism("torus chain", description=__doc__)
    mech.draw(shapes.Sphere(0.4 * minor, color="#e4572e"))
    ring, solid = surfaces.Torus(major, minor), aj.Inertia.torus(0.5, major, minor)
    on_point = joints.OnSurface(ring, slide=True)
    on_torus = joints.SurfaceSurface(ring, ring, twist=math.pi / 2)  # rings crossed, as the links of a chain are
    down = aj.Pose.rotation_x(math.pi)  # where the surface's normal looks at the point that holds the chain
    look = shapes.Torus(major, minor, color=shapes.shade(0, n))
    mech.add_body("torus 0", None, on_point, down, solid, look, damping=damping)
    q = [0.0, math.pi + 0.15]
    for k in range(1, n):
        look = shapes.Torus(major, minor, color=shapes.shade(k, n))
        mech.add_body(f"torus {k}", mech.bodies[-1], on_torus, inertia=solid, shape=look, damping=damping)
        # Inner equators touch (v = pi). The planes of rings alternate, and so does the tube that is tilted.
        tilt = bend * (1, -1, -1, 1)[k % 4]
        q += [math.pi, math.pi + tilt * (k % 2 == 0), 0.0, math.pi + tilt * (k % 2)]
    mech.set_start(q)
    return mech


if __name__ == "__main__":
    mech = build()
    traj = mech.compile().simulate(*mech.start, duration=DURATION, dt=DT, method=METHOD)
    print(traj.to_html("torus_chain.html"))
