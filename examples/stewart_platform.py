"""A Stewart platform: six legs change their lengths, the platform does the rest.

Each leg is a cylinder on a universal joint and a piston in it. The platform sits on a ball on the first piston;
balls on the other five close loops. The lengths follow functions of time (`mech.prescribe`), which are traced and
differentiated as joints are, so no callback is needed; `model.constraint_forces` tells what the legs push with.
"""

import anyjoint as aj
from anyjoint import gallery

DURATION, DT, METHOD = 8.0, 5e-3, "rk4"


def build(base: float = 0.9, top: float = 0.55, height: float = 1.0) -> aj.Mechanism:
    """Radii of floor and platform, and its height, in metres."""
    return gallery.stewart_platform(base, top, height)


if __name__ == "__main__":
    mech = build()
    traj = mech.compile().simulate(*mech.start, duration=DURATION, dt=DT, method=METHOD)
    print(traj.to_html("stewart_platform.html"))
