"""A chain of tori that slides along a spline: a joint on a curve, then joints between surfaces.

The first torus rides on a Bezier curve of seven control points, its axis along the tangent, free to turn about it.
Frames on curves: Frenet's flips where the curve changes its bend, so here the frame with a fixed up direction is used.
Contacts between tori are bilateral: they never part, on whichever side; friction, `damping`, keeps them linked.

Paper: Si & Guenter, "Linear-time dynamics for multibody systems with general joint models", Fig. 3.
"""

import math

import anyjoint as aj
from anyjoint import curves, joints, shapes, surfaces

DURATION, DT, METHOD = 10.0, 1e-3, "rk4"
POINTS = [(-3, 0, 1.2), (-2, 0.8, -0.6), (-1, -1, -0.4), (0, 0.3, -1.1), (1, 1, -0.4), (2, -0.8, -0.6), (3, 0, 1.2)]


def build(n: int = 8, major: float = 0.2, minor: float = 0.05, damping: float = 0.05) -> aj.Mechanism:
    """n tori, hanging straight from the one on the wire: 4 n - 2 coordinates."""
    mech, spline = aj.Mechanism("torus chain on a spline", description=__doc__), curves.Bezier(POINTS)
    mech.draw(shapes.curve(spline, radius=0.02, color="#8a97a8"))
    ring, solid = surfaces.Torus(major, minor), aj.Inertia.torus(0.5, major, minor)
    ride = joints.OnCurve(spline, frame="fixed-up", spin=True)
    linked = joints.SurfaceSurface(ring, ring, twist=math.pi / 2)
    along = aj.Pose.rotation_y(math.pi / 2)  # a curve's frame has its tangent along x, a torus its axis along z
    first = shapes.Torus(major, minor, color=shapes.shade(0, n), pose=along)
    mech.add_body("torus 0", None, ride, None, solid.moved(along), first)
    q = [0.06, 0.0]
    for k in range(1, n):
        look, placement = shapes.Torus(major, minor, color=shapes.shade(k, n)), along if k == 1 else None
        mech.add_body(f"torus {k}", mech.bodies[-1], linked, placement, solid, look, damping=damping)
        q += [0.0 if k == 1 else math.pi, math.pi, 0.0, math.pi]  # inner equators touch, below the one, above the other
    mech.set_start(q)
    return mech


if __name__ == "__main__":
    mech = build()
    traj = mech.compile().simulate(*mech.start, duration=DURATION, dt=DT, method=METHOD)
    print(traj.to_html("torus_chain_on_spline.html"))
