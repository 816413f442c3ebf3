"""A marble rolls down a chute, hops over the steps in it, and swings from side to side where the chute bends.

The chute is a function of two parameters in plain Python; a marble that meets a step leaves the ground where the
contact force would have to pull, flies, and lands further down. It rolls or slips as friction allows.
"""

import anyjoint as aj
from anyjoint import shapes, surfaces

DURATION, DT, METHOD = 2.6, 1e-3, "rk4"
RADIUS = 0.06


def chute(u, v):
    """A winding gutter that goes down along x, with a soft step every 1.6 m."""
    bend = 0.25 * aj.sin(1.2 * u)
    return u, v + bend, -0.35 * u + 0.09 * aj.sin(3.927 * u) + 0.9 * v * v


def build(friction: float = 0.4, restitution: float = 0.1) -> aj.Mechanism:
    """A marble let go at the upper end, a little off the middle of the chute."""
    mech = aj.Mechanism("marble run", description=__doc__)
    ground = surfaces.surface(chute, domain=((-0.4, 8.0), (-0.5, 0.5)))
    mech.draw(shapes.surface(ground, color="#e9d8b4", opacity=0.6), shapes.net(ground, color="#b08d57"))
    marble = shapes.Sphere(RADIUS, color="#3d7ea6")
    stripe = shapes.Torus(0.98 * RADIUS, 0.006, color="#f2c14e")
    mech.add_contact_body(
        "marble", surfaces=(ground, surfaces.Sphere(RADIUS)), friction=friction, restitution=restitution,
        start="flight", inertia=marble.inertia(0.05), shape=[marble, stripe],
    )  # fmt: skip
    mech.set_start([1, 0, 0, 0, 0.0, 0.1, 0.12], [0, 0, 0, 1.0, 0, 0])
    return mech


if __name__ == "__main__":
    mech = build()
    traj = mech.compile().simulate(*mech.start, duration=DURATION, dt=DT, method=METHOD)
    print(traj.to_html("marble_run.html"))
