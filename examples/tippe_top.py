"""A tippe top is spun on its round end, turns over, and goes on spinning on its stem.

A ball whose centre of mass lies below its middle stands upright and stable, until it spins: then friction at the
slipping contact lifts the heavy side up. All it needs is Coulomb's law at the point that touches.
"""

import math

import anyjoint as aj
from anyjoint import shapes, surfaces

DURATION, DT, METHOD = 1.6, 1e-3, "rk4"
RADIUS, MASS = 0.02, 0.015


def build(spin: float = 160.0, friction: float = 0.3, tilt: float = 0.1) -> aj.Mechanism:
    """A top of 2 cm radius with `spin` rad/s about the vertical, against which its own axis leans by `tilt`."""
    mech = aj.Mechanism("tippe top", description=__doc__)
    mech.draw(shapes.Box(0.16, 0.16, 0.01, color="#c9b79c", pose=aj.Pose.translation(0, 0, -0.005)))
    body = shapes.Sphere(RADIUS, color="#c8553d")
    # The stem is for the eye; it would touch the table just when the top has turned over.
    stem = shapes.rod((0, 0, 0.6 * RADIUS), (0, 0, 1.35 * RADIUS), 0.003, "#3d7ea6")
    across, along = 0.40 * MASS * RADIUS**2, 0.38 * MASS * RADIUS**2
    inertia = aj.Inertia(MASS, com=(0, 0, -0.2 * RADIUS), tensor=[[across, 0, 0], [0, across, 0], [0, 0, along]])
    mech.add_contact_body(
        "top", surfaces=(surfaces.Plane(), surfaces.Sphere(RADIUS)), friction=friction, start="flight",
        inertia=inertia, shape=[body, stem],
    )  # fmt: skip
    half, up = tilt / 2, (0, spin * math.sin(tilt), spin * math.cos(tilt))  # the vertical in the top's own axes
    middle = (0.2 * RADIUS * up[1], 0, 0)  # how fast the ball's middle moves while its centre of mass stands still
    mech.set_start([math.cos(half), math.sin(half), 0, 0, 0, 0, RADIUS + 1e-4], [*up, *middle])
    return mech


if __name__ == "__main__":
    mech = build()
    traj = mech.compile().simulate(*mech.start, duration=DURATION, dt=DT, method=METHOD)
    print(traj.to_html("tippe_top.html"))
