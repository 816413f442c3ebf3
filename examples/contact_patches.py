"""Eggs that slide, roll and spin in a dish: contact coordinates.

Two smooth bodies that touch have five freedoms: where the contact is on each of them (u1, v1, u2, v2) and the angle psi
between their frames. These are the coordinates themselves here, so contact is kept exactly and nothing has to be
found: no closest points, no penetration, no constraint forces.

Paper: Pai, Ascher & Kry, "Forward dynamics algorithms for multibody chains and contact", section 6, eq. 9-12.
"""

import math

import anyjoint as aj
from anyjoint import joints, shapes, surfaces

DURATION, DT, METHOD = 8.0, 1e-3, "rk4"


def dish(u, v):
    """A shallow dish, longer than wide."""
    return u, v, 0.16 * u * u + 0.22 * v * v


def build(eggs: int = 4) -> aj.Mechanism:
    """`eggs` eggs lying on their sides, around the middle of the dish."""
    mech = aj.Mechanism("contact patches", description=__doc__)
    floor = surfaces.surface(dish, domain=((-1.8, 1.8), (-1.5, 1.5)))
    mech.draw(shapes.surface(floor, color="#8fb8de", opacity=0.35), shapes.net(floor, color="#3d7ea6"))
    egg = surfaces.Ellipsoid(0.16, 0.16, 0.26)  # the poles of its chart are its tips; it lies on its side
    q, v = [], []
    for k in range(eggs):
        angle = 2 * math.pi * k / eggs + 0.4
        body = shapes.Ellipsoid(0.16, 0.16, 0.26, color=shapes.shade(k, eggs))
        band = shapes.Torus(0.155, 0.012, color="#f1ece2")
        mech.add_body(f"egg {k}", None, joints.Contact(floor, egg), inertia=body.inertia(1.0), shape=[body, band])
        q += [1.1 * math.cos(angle), 0.9 * math.sin(angle), 0.0, math.pi / 2, angle]
        v += [-1.0 * math.sin(angle), 0.8 * math.cos(angle), 2.0, 0.0, 1.0 + 0.5 * k]
    mech.set_start(q, v)
    return mech


if __name__ == "__main__":
    mech = build()
    traj = mech.compile().simulate(*mech.start, duration=DURATION, dt=DT, method=METHOD)
    print(traj.to_html("contact_patches.html"))
