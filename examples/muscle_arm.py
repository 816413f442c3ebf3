"""An arm that two muscles move: Hill's, one in front of the elbow, the other around it behind.

The elbow is no hinge: the forearm leans out by the carrying angle when stretched and swings in as it bends, on an axis
that glides. Moment arms come out of the paths and of this joint by D*. What a muscle pulls with depends on its length,
on how fast it shortens, and on its activation over time; the energy balance counts its work.
"""

import numpy as np

import anyjoint as aj
from anyjoint import forces, gallery

DURATION, DT, METHOD = 6.0, 1e-3, "rk4"
MUSCLES = {"flexor": ((0, 0.03, -0.06), (0, 0.014, -0.05)), "extensor": ((0, -0.03, -0.05), (0, -0.032, 0.028))}
ROUND = forces.WrapCylinder("upper arm", (0, 0, -0.3), axis=(1, 0, 0), radius=0.022, side=(0, -1, 0))


def lift(t: float) -> float:
    """The activation of the flexor: up twice."""
    return 0.02 + 0.5 * np.sin(np.pi * t / 3) ** 2


def reach(t: float) -> float:
    """The activation of the extensor, while the other rests."""
    return 0.02 + 0.15 * np.cos(np.pi * t / 3) ** 4


def acting() -> list[forces.Muscle]:
    """Both muscles; the extensor goes around the end of the upper arm."""
    (a, b), (c, d) = MUSCLES.values()
    front, back = [("upper arm", a), ("forearm", b)], [("upper arm", c), ROUND, ("forearm", d)]
    return [
        forces.Muscle(front, forces.Hill(max_force=900.0, optimal_length=0.12, tendon=0.1), lift),
        forces.Muscle(back, forces.Hill(max_force=700.0, optimal_length=0.12, tendon=0.13), reach),
    ]


def build(load: float = 2.0) -> aj.Mechanism:
    """An arm that hangs from its shoulder and holds `load` kg."""
    mech = gallery.arm(load, MUSCLES)
    mech.name, mech.description = "muscle arm", __doc__
    return mech


if __name__ == "__main__":
    traj = build().compile().simulate(duration=DURATION, dt=DT, method=METHOD, forces=acting())
    print(traj.to_html("muscle_arm.html"))
