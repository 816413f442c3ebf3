"""A four-bar: three bars and the ground, closed by one hinge.

Crank and coupler are a chain of hinges, the rocker another; `mech.add_loop("coupler", "rocker", hinge, at=...)`
joins them once more. A hinge has five rows. Three of them say what the other hinges say already: that nothing
leaves the plane. They are found while the equations are solved, and `model.mobility(q)` names them.

The shortest bar goes all the way round, the rocker to and fro, and the tip of the plate draws a coupler curve.
"""

import anyjoint as aj
from anyjoint import gallery

DURATION, DT, METHOD = 10.0, 1e-3, "rk4"


def build(crank: float = 0.4, coupler: float = 1.1, rocker: float = 0.9, base: float = 1.2) -> aj.Mechanism:
    """Lengths of the bars in metres; other cranks than short ones cannot go round."""
    return gallery.four_bar(crank, coupler, rocker, base)


if __name__ == "__main__":
    mech = build()
    traj = mech.compile().simulate(*mech.start, duration=DURATION, dt=DT, method=METHOD)
    print(traj.to_html("four_bar.html"))
