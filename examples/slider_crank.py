"""A radial engine: five slider cranks on one pin.

A rod hangs on the crank's pin, a piston slides in its cylinder, and a hinge between the two closes a loop; the same
five times around. The flywheel starts turning, nothing brakes it, and energy is kept to a part in 10^9.
"""

import anyjoint as aj
from anyjoint import gallery

DURATION, DT, METHOD = 6.0, 1e-3, "rk4"


def build(cylinders: int = 5, speed: float = 6.0) -> aj.Mechanism:
    """`cylinders` around a crank that starts at `speed` rad/s."""
    return gallery.slider_crank(cylinders, speed=speed)


if __name__ == "__main__":
    mech = build()
    traj = mech.compile().simulate(*mech.start, duration=DURATION, dt=DT, method=METHOD)
    print(traj.to_html("slider_crank.html"))
