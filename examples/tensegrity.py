"""A tensegrity: three struts that touch nowhere, held by cables that are soft loops.

Every cable is a light rod, a little too short, whose end is tied to the next strut by
`mech.add_loop(..., compliance=5e-4)`: rows with a compliance give way, as springs do, so nothing has to be eliminated
for them, and the energy that they store counts as potential. Pushed sideways, the whole thing twists, bounces and
stands.
"""

import anyjoint as aj
from anyjoint import gallery

DURATION, DT, METHOD = 6.0, 2.5e-4, "rk4"


def build(pull: float = 40.0, compliance: float = 5e-4, push: float = 0.6) -> aj.Mechanism:
    """Cables pull with `pull` N; a push turns the first strut at `push` rad/s."""
    return gallery.tensegrity(pull=pull, compliance=compliance, push=push)


if __name__ == "__main__":
    mech = build()
    traj = mech.compile().simulate(*mech.start, duration=DURATION, dt=DT, method=METHOD)
    print(traj.to_html("tensegrity.html"))
