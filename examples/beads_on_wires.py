"""Beads slide and spin on wires of any shape, each with a pendulum: they can never leave the wire.

A bead's pose is the Frenet frame of its wire, then a rotation about the tangent: C(s) Rot_x(spin). The wires are an
ellipse, a trefoil knot and a crown, each a plain Python function of one parameter.

Paper: Guenter & Lee, "Symbolic Lagrangian multibody dynamics", Fig. 5(a) and section 5 (A_path).
"""

import anyjoint as aj
from anyjoint import gallery

DURATION, DT, METHOD = 10.0, 1e-3, "rk4"


def build() -> aj.Mechanism:
    """Three wires, six beads, six pendulums: 18 coordinates."""
    return gallery.beads_on_wires()


if __name__ == "__main__":
    mech = build()
    traj = mech.compile().simulate(*mech.start, duration=DURATION, dt=DT, method=METHOD)
    print(traj.to_html("beads_on_wires.html"))
