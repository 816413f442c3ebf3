"""A scissor lift: one foot is pushed, and crossed bars lift the platform.

Bars are hinged in the middle, which closes a loop in every pair. The platform rests on the last pair by a hinge on
one side and a slot on the other: a constraint of one's own, four lines of Python. The foot follows a function of
time.
"""

import anyjoint as aj
from anyjoint import gallery

DURATION, DT, METHOD = 8.0, 2e-3, "rk4"


def build(stages: int = 4, opening: float = 0.35) -> aj.Mechanism:
    """`stages` pairs of bars, whose angle to the floor is `opening` at the start."""
    return gallery.scissor_lift(stages, opening=opening)


if __name__ == "__main__":
    mech = build()
    traj = mech.compile().simulate(*mech.start, duration=DURATION, dt=DT, method=METHOD)
    print(traj.to_html("scissor_lift.html"))
