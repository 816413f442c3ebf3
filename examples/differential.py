"""A gear train with a differential: each mesh of teeth is one row on angles.

The engine turns a crown wheel with a cage; planets in the cage share its motion between two half shafts. Gears,
racks and differentials are one line each: `mech.add_constraint(sharing, coordinates=("left", "right", "cage"))`
with a function that returns `q[0] + q[1] - 2 * q[2]`. A brake slows the left wheel down, and the right one goes
faster.
"""

import anyjoint as aj
from anyjoint import gallery

DURATION, DT, METHOD = 10.0, 2e-3, "rk4"


def build(torque_side: float = 0.15, speed: float = 12.0) -> aj.Mechanism:
    """The brake's damping in N m s, and the engine's speed in rad/s."""
    return gallery.differential(torque_side, speed)


if __name__ == "__main__":
    mech = build()
    traj = mech.compile().simulate(*mech.start, duration=DURATION, dt=DT, method=METHOD)
    print(traj.to_html("differential.html"))
