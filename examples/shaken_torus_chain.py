"""Tori hang in one another on a spring that shakes them: contacts break, links fly and catch each other again.

Papers: the chain of tori of Si and Guenter, whose contacts are bilateral there; with the contact force watched, as Pai,
Ascher and Kry propose, a link that would be pushed from below is free until it falls back into its neighbour.
"""

import math

import anyjoint as aj
from anyjoint import joints, shapes, surfaces

DURATION, DT, METHOD = 2.0, 1e-3, "rk4"
MAJOR, MINOR = 0.2, 0.035


def build(links: int = 3, lift: float = 0.05, tilt: float = 0.06) -> aj.Mechanism:
    """`links` tori; the first rides on a spring, which is let go `lift` metres above its rest; all hang tilted."""
    mech = aj.Mechanism("shaken torus chain", description=__doc__)
    ring, solid = surfaces.Torus(MAJOR, MINOR), aj.Inertia.torus(0.5, MAJOR, MINOR)
    upright, colors = aj.Pose.rotation_x(math.pi / 2), [shapes.shade(k, links) for k in range(links)]
    torus = shapes.Torus(MAJOR, MINOR, color=colors[0])
    slide = joints.Prismatic((0, 1, 0))
    mech.add_body("torus0", None, slide, upright, aj.Inertia.torus(2.0, MAJOR, MINOR), torus, stiffness=600.0)
    mech.draw(shapes.Cylinder(0.01, 1.2, color="#8b94a7", pose=aj.Pose.translation(0, 0.4, 0)))
    q, v = [lift], [0.0]
    for k in range(1, links):
        mech.add_contact_body(
            f"torus{k}", f"torus{k - 1}", surfaces=(ring, ring), friction=0.15, restitution=0.1, start="sliding",
            inertia=solid, shape=shapes.Torus(MAJOR, MINOR, color=colors[k]),
        )  # fmt: skip
        q += [-math.pi / 2 if k == 1 else math.pi, math.pi + tilt * (-1) ** k, 0.0, math.pi - tilt, math.pi / 2]
        v += [0.0] * 5
    mech.set_start(q, v)
    return mech


if __name__ == "__main__":
    mech = build()
    traj = mech.compile().simulate(*mech.start, duration=DURATION, dt=DT, method=METHOD)
    print(traj.to_html("shaken_torus_chain.html"))
