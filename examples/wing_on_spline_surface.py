"""A wing glides over a measured table: six splines of two coordinates are its position and its three angles.

The joint is given by numbers alone: at each point of a grid, where the body is and how it is turned. Bicubic B-splines
go between, and anyjoint takes their first and second derivatives, so that a table from measurements (a shoulder blade
on ribs, a valve, an aircraft's flap) moves as exactly as a hinge does.

Paper: Wang et al., RedMax supplement, section 5.3 (spline surface joints, algorithm 5), after Lee & Terzopoulos 2008.
"""

import numpy as np

import anyjoint as aj
from anyjoint import joints, shapes

DURATION, DT, METHOD = 8.0, 1e-3, "rk4"


def table(n: int = 8, width: float = 3.0) -> np.ndarray:
    """x, y, z and the angles about x, y, z at n x n control points: a valley whose riders bank in its curves."""
    x, y = np.meshgrid(*[np.linspace(-width / 2, width / 2, n)] * 2, indexing="ij")
    z = 0.25 * (x * x + 0.6 * y * y) + 0.05 * np.sin(3 * x) * np.cos(2 * y)
    return np.array([x, y, z, 0.3 * y, -0.5 * x, 0.6 * x * y])


def build() -> aj.Mechanism:
    """A wing on the table, with a rudder that swings behind it."""
    mech = aj.Mechanism("wing on a spline surface", description=__doc__)
    glide = joints.SplineSurface(table())
    ground = lambda u, v: list(glide.pose([u, v]).p)  # noqa: E731
    span = glide.coordinates[0].domain
    mech.draw(shapes.surface(ground, span, span, samples=(24, 24), color="#8fb8de", opacity=0.35))
    wing = shapes.Ellipsoid(0.14, 0.42, 0.03, color="#c0392b", pose=aj.Pose.translation(0, 0, 0.06))
    mech.add_body("wing", joint=glide, inertia=wing.inertia(1.5), shape=wing)
    tail = shapes.Box(0.3, 0.02, 0.16, color="#3d7ea6", pose=aj.Pose.translation(-0.2, 0, 0.08))
    mech.add_body("rudder", "wing", joints.Revolute("z"), aj.Pose.translation(-0.1, 0, 0.06), tail.inertia(0.2), tail)
    middle = sum(span) / 2
    mech.set_start([middle + 1.2, middle - 0.4, 0.3], [0.0, 1.6, 0.0])
    return mech


if __name__ == "__main__":
    mech = build()
    traj = mech.compile().simulate(*mech.start, duration=DURATION, dt=DT, method=METHOD)
    print(traj.to_html("wing_on_spline_surface.html"))
