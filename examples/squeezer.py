"""Andrews' squeezing mechanism: seven bodies, three loops, one spinning crank.

The mechanism that solvers of constrained motion have been tested with since 1990; here at ten times its size. The
tests of this library hold the original, with its spring and its torque, to its published numbers: accelerations and
forces at the start to ten digits, the state after 0.03 s to eight.
"""

import anyjoint as aj
from anyjoint import gallery

DURATION, DT, METHOD = 2.0, 5e-4, "rk4"


def build(speed: float = 40.0) -> aj.Mechanism:
    """The crank starts at `speed` rad/s."""
    return gallery.squeezer(speed)


if __name__ == "__main__":
    mech = build()
    traj = mech.compile().simulate(*mech.start, duration=DURATION, dt=DT, method=METHOD)
    print(traj.to_html("squeezer.html"))
