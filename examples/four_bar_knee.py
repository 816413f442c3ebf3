"""A knee whose axis wanders: thigh, shin and two crossed ligaments as a four-bar linkage in closed form.

The cruciate ligaments hold the shin at two distances, so it moves as the coupler of a crossed four-bar linkage. The
loop is solved once, on paper, inside the joint; its derivatives are left to anyjoint, and there is nothing to drift.

Paper: Guenter & Lee, "Symbolic Lagrangian multibody dynamics", section 5: a closed loop whose angles are functions of
one coordinate.
"""

import anyjoint as aj
from anyjoint import gallery

DURATION, DT, METHOD = 6.0, 1e-3, "rk4"


def build() -> aj.Mechanism:
    """Shin and foot of a sitting person, with ligaments that follow: 2 coordinates."""
    return gallery.four_bar_knee()


if __name__ == "__main__":
    mech = build()
    traj = mech.compile().simulate(*mech.start, duration=DURATION, dt=DT, method=METHOD)
    print(traj.to_html("four_bar_knee.html"))
