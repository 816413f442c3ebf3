"""A bead at thirty steps a second: however large the step, it cannot leave its wire.

Penalty methods and constraint stabilisation need small steps, or the bead drifts off. Here the coordinate is the place
on the wire itself; a large step may be inaccurate in time, but never in space. Games and films live on that.

Paper: Guenter & Lee, "Symbolic Lagrangian multibody dynamics", Fig. 8.
"""

import math

import anyjoint as aj
from anyjoint import curves, joints, shapes

DURATION, DT, METHOD = 10.0, 1 / 30, "semi-implicit-euler"


def knot(s):
    """A torus knot that winds five times around while it goes twice around."""
    r = 1.0 + 0.35 * aj.cos(5 * s)
    return r * aj.cos(2 * s), 0.35 * aj.sin(5 * s), r * aj.sin(2 * s)


def build(beads: int = 5) -> aj.Mechanism:
    """`beads` beads, spread along an upright knot."""
    mech = aj.Mechanism("bead at large steps", description=__doc__)
    turn = 2 * math.pi
    mech.draw(shapes.curve(knot, 0.0, turn, radius=0.025, samples=600, color="#8a97a8"))
    ride = joints.OnCurve(curves.curve(knot, domain=(0.0, turn), period=turn))
    bead = aj.Inertia.sphere(0.2, 0.08)
    for k in range(beads):
        mech.add_body(f"bead {k}", None, ride, inertia=bead, shape=shapes.Sphere(0.08, color=shapes.shade(k, beads)))
    mech.set_start([0.6 + 0.12 * k for k in range(beads)])
    return mech


if __name__ == "__main__":
    mech = build()
    traj = mech.compile().simulate(*mech.start, duration=DURATION, dt=DT, method=METHOD)
    print(traj.to_html("bead_at_large_steps.html"))
