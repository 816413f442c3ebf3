"""A delta robot: three motors, six rods, and a hand that never turns.

Each arm carries two parallel rods on universal joints; balls at their ends hold the hand. The parallelograms keep
it level wherever it goes. Motors follow functions of time.
"""

import anyjoint as aj
from anyjoint import gallery

DURATION, DT, METHOD = 8.0, 5e-3, "rk4"


def build(arm: float = 0.5, rods: float = 0.95) -> aj.Mechanism:
    """Lengths of arms and rods in metres."""
    return gallery.delta_robot(arm=arm, rods=rods)


if __name__ == "__main__":
    mech = build()
    traj = mech.compile().simulate(*mech.start, duration=DURATION, dt=DT, method=METHOD)
    print(traj.to_html("delta_robot.html"))
