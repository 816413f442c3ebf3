"""A chain of tori that slides along a spline: a joint on a curve, then joints between surfaces.

The first torus rides on a Bezier curve of seven control points, its axis along the tangent, free to turn about it.
Frames on curves: Frenet's flips where the curve changes its bend, so here the frame with a fixed up direction is used.

Paper: Si & Guenter, "Linear-time dynamics for multibody systems with general joint models", Fig. 3.
"""

import anyjoint as aj
from anyjoint import gallery

DURATION, DT, METHOD = 10.0, 1e-3, "rk4"


def build(n: int = 8, bend: float = 0.0) -> aj.Mechanism:
    """n tori, each tilted by `bend` against the one above at the start."""
    return gallery.torus_chain_on_spline(n, bend)


if __name__ == "__main__":
    mech = build()
    traj = mech.compile().simulate(*mech.start, duration=DURATION, dt=DT, method=METHOD)
    print(traj.to_html("torus_chain_on_spline.html"))
