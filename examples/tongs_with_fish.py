"""Lazy tongs with a fish: 33 bodies, dozens of closed loops, three coordinates.

Every angle of the tongs is a function of one: the links lean by +q or -q. A `Coupled` joint says so, and the loops are
closed by construction. Engines with one coordinate per link need 34 coordinates and 31 constraints for the same thing.

Paper: Guenter & Lee, "Symbolic Lagrangian multibody dynamics", Fig. 5(d).
"""

import anyjoint as aj
from anyjoint import gallery

DURATION, DT, METHOD = 10.0, 1e-3, "rk4"


def build(stages: int = 16, opening: float = 0.95) -> aj.Mechanism:
    """`stages` pairs of crossed links, at first leaning by `opening` radians."""
    return gallery.tongs_with_fish(stages, opening)


if __name__ == "__main__":
    mech = build()
    traj = mech.compile().simulate(*mech.start, duration=DURATION, dt=DT, method=METHOD)
    print(traj.to_html("tongs_with_fish.html"))
