"""A windmill hung with spheres, eggs and rings that slide on one another: 73 coordinates.

Every pair of surfaces makes a joint of four coordinates, whatever the surfaces are: sphere on sphere, sphere on
ellipsoid, ellipsoid on torus, torus in torus, torus on sphere. The tree has a hinge at its root and three arms of six
bodies; nothing in the dynamics knows about any of these shapes.

Paper: Si & Guenter, "Linear-time dynamics for multibody systems with general joint models", Fig. 2 and Table 1 (WM).
"""

import anyjoint as aj
from anyjoint import gallery

DURATION, DT, METHOD = 10.0, 1e-3, "rk4"


def build(arms: int = 3, reach: float = 2.2, spin: float = 0.9) -> aj.Mechanism:
    """A hub that turns at `spin` rad/s; six solids hang from each of its arms."""
    return gallery.windmill(arms, reach, spin)


if __name__ == "__main__":
    mech = build()
    traj = mech.compile().simulate(*mech.start, duration=DURATION, dt=DT, method=METHOD)
    print(traj.to_html("windmill.html"))
