"""A shoulder blade that glides on the rib cage, and the arm that hangs from it.

The blade has no hinge: it slides on the ribs in two directions and turns. On an ellipsoid that is a joint of three
coordinates; springs stand for the muscles. The arm has a ball joint in exponential coordinates.

Papers: Guenter & Lee, section 5 (frames on surfaces); RedMax supplement, section 4.7 (spherical joint). For ribs of any
measured shape, `joints.SplineSurface` takes the ellipsoid's place: RedMax section 5.3, after Lee & Terzopoulos 2008.
"""

import anyjoint as aj
from anyjoint import gallery

DURATION, DT, METHOD = 6.0, 1e-3, "rk4"


def build() -> aj.Mechanism:
    """Blade, upper arm and forearm: 7 coordinates."""
    return gallery.shoulder_blade()


if __name__ == "__main__":
    mech = build()
    traj = mech.compile().simulate(*mech.start, duration=DURATION, dt=DT, method=METHOD)
    print(traj.to_html("shoulder_blade.html"))
