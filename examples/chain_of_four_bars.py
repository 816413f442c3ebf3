"""Forty parallelograms that hang from one another, with forty loops, in linear time.

Every rung is held level by the two rods above it, while the ladder sways along x and y in turns. Each loop is
closed by unknowns that are carried to the rung above and eliminated there, so a chain of n loops takes n times the
work of one, not n^3: no matrix of all constraints is ever built.
"""

import anyjoint as aj
from anyjoint import gallery

DURATION, DT, METHOD = 6.0, 5e-4, "rk4"


def build(n: int = 40, swing: float = 0.35) -> aj.Mechanism:
    """`n` parallelograms that start leaning by up to `swing` radians."""
    return gallery.chain_of_four_bars(n, swing=swing)


if __name__ == "__main__":
    mech = build()
    traj = mech.compile().simulate(*mech.start, duration=DURATION, dt=DT, method=METHOD)
    print(traj.to_html("chain_of_four_bars.html"))
