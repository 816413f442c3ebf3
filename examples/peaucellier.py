"""Peaucellier's linkage: seven bars draw a straight line, exactly.

Before 1864 nobody knew how to draw a straight line without a straight edge. The inner corner of the rhombus runs on
a circle through the fixed point, so the outer one runs on its inverse: a line. Seven hinges in a tree and three
loops.
"""

import anyjoint as aj
from anyjoint import gallery

DURATION, DT, METHOD = 8.0, 5e-4, "rk4"


def build(arm: float = 1.0, side: float = 0.45, tilt: float = 0.75) -> aj.Mechanism:
    """Lengths of long bars and of the rhombus, and where the crank starts."""
    return gallery.peaucellier(arm, side, tilt)


if __name__ == "__main__":
    mech = build()
    traj = mech.compile().simulate(*mech.start, duration=DURATION, dt=DT, method=METHOD)
    print(traj.to_html("peaucellier.html"))
