"""A bicycle that rights itself, hands off, with nothing but rolling wheels.

Two wheels touch the floor and do not slip: `mech.add_rolling("front wheel", rim, on=plane)` adds a row that holds a
position and two that hold velocities. The rest is four bodies on hinges. Pushed sideways at 4.6 m/s it steers into
the fall and comes back; slower than 4.3 m/s it weaves and falls.

Numbers: the benchmark of Meijaard, Papadopoulos, Ruina and Schwab, Proc. R. Soc. A 463 (2007).
"""

import anyjoint as aj
from anyjoint import gallery

DURATION, DT, METHOD = 4.0, 2e-3, "rk4"


def build(speed: float = 4.6, push: float = 0.4) -> aj.Mechanism:
    """Ahead at `speed` m/s, pushed so that it starts leaning at `push` rad/s."""
    return gallery.bicycle(speed, push)


if __name__ == "__main__":
    mech = build()
    traj = mech.compile().simulate(*mech.start, duration=DURATION, dt=DT, method=METHOD)
    print(traj.to_html("bicycle.html"))
