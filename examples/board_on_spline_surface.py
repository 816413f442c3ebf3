"""A board slides over a Bezier surface of 25 control points, with a rider who sways on springs.

The board's joint has three coordinates: two say where it is on the surface, the third turns it about the normal. Its
frame, tangent to the surface everywhere, comes from the derivatives of the surface; nobody writes them down.

Paper: Si & Guenter, "Linear-time dynamics for multibody systems with general joint models", Fig. 4.
"""

import anyjoint as aj
from anyjoint import gallery

DURATION, DT, METHOD = 10.0, 1e-3, "rk4"


def build() -> aj.Mechanism:
    """Board, rider and two arms: 7 coordinates."""
    return gallery.board_on_spline_surface()


if __name__ == "__main__":
    mech = build()
    traj = mech.compile().simulate(*mech.start, duration=DURATION, dt=DT, method=METHOD)
    print(traj.to_html("board_on_spline_surface.html"))
