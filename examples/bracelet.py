"""A bracelet: tori that hang in one another, all around, and back to the first.

A chain of tori is a tree: each slides on the next in four ways. Linking the last with the first closes a loop by a
joint that has no rows of its own, surface on surface: `mech.add_loop(last, first, joint)` cuts the first torus into
two halves of half its inertia, lets one ride on the last torus, and welds the halves together by six rows.
"""

import anyjoint as aj
from anyjoint import gallery

DURATION, DT, METHOD = 6.0, 2e-3, "rk4"


def build(n: int = 8, damping: float = 0.01) -> aj.Mechanism:
    """`n` tori, a multiple of four; `damping` of their sliding in N m s."""
    return gallery.bracelet(n, damping)


if __name__ == "__main__":
    mech = build()
    traj = mech.compile().simulate(*mech.start, duration=DURATION, dt=DT, method=METHOD)
    print(traj.to_html("bracelet.html"))
