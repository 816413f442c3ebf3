"""Wheels that roll in one another without ever slipping, with no constraint to enforce.

Rolling on a fixed track is holonomic: the arc length decides how far the wheel has turned. So the pose is a function
of one coordinate, C(s) Trans_y(r) Rot_z(-L(s)/r), and slipping is impossible at any step size. On a circle L is known
in closed form; on the hilly road it is integrated along the curve.

Paper: Guenter & Lee, "Symbolic Lagrangian multibody dynamics", Fig. 5(c).
"""

import anyjoint as aj
from anyjoint import gallery

DURATION, DT, METHOD = 10.0, 1e-3, "rk4"


def build() -> aj.Mechanism:
    """Three wheels in one another in half a circle, and one on a road: 4 coordinates."""
    return gallery.rolling_wheels()


if __name__ == "__main__":
    mech = build()
    traj = mech.compile().simulate(*mech.start, duration=DURATION, dt=DT, method=METHOD)
    print(traj.to_html("rolling_wheels.html"))
