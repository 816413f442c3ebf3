"""Beads slide and spin on wires of any shape, each with a pendulum: they can never leave the wire.

A bead's pose is the Frenet frame of its wire, then a rotation about the tangent: C(s) Rot_x(spin). The wires are an
ellipse, a trefoil knot and a crown, each a plain Python function of one parameter; that is all a joint needs.

Paper: Guenter & Lee, "Symbolic Lagrangian multibody dynamics", Fig. 5(a) and section 5 (A_path).
"""

import math

import anyjoint as aj
from anyjoint import curves, joints, shapes

DURATION, DT, METHOD = 10.0, 1e-3, "rk4"
TURN, DOWN = 2 * math.pi, aj.Pose.translation(0, 0, -0.3)
WIRES = {
    "ellipse": lambda s: (1.2 * aj.cos(s) - 2.8, 0.8 * aj.sin(s), 0.5 * aj.cos(s)),
    "clover": lambda s: (
        0.35 * (aj.sin(s) + 2 * aj.sin(2 * s)), 0.35 * (aj.cos(s) - 2 * aj.cos(2 * s)), -0.35 * aj.sin(3 * s)
    ),
    "crown": lambda s: (aj.cos(s) + 2.6, aj.sin(s), 0.25 * aj.cos(3 * s)),
}  # fmt: skip


def build() -> aj.Mechanism:
    """Three wires, six beads, six pendulums: 18 coordinates."""
    mech, q = aj.Mechanism("beads on wires", description=__doc__), []
    rod, bob = shapes.rod((0, 0, 0), (0, 0, -0.3), 0.012, "#8a97a8"), shapes.Sphere(0.06, color="#f3a712", pose=DOWN)
    for k, (name, function) in enumerate(WIRES.items()):
        wire = curves.curve(function, domain=(0.0, TURN), period=TURN)
        mech.draw(shapes.curve(wire, radius=0.015, color="#8a97a8"))
        for s in (0.4, 2.3):
            ball = shapes.Sphere(0.07, color=("#2a9d8f", "#e4572e", "#7d5ba6")[k])
            inertia = ball.inertia(0.3) + rod.inertia(0.05)
            bead = mech.add_body(f"{name} {s}", None, joints.OnCurve(wire, spin=True), None, inertia, [ball, rod])
            swing = joints.Revolute((1, 0, 0))
            mech.add_body(f"{name} {s} pendulum", bead, swing, DOWN, rod.inertia(0.05) + bob.inertia(0.2), [rod, bob])
            up = wire.frenet(s).R[2]  # the spin at which the rod hangs down, as well as the wire allows
            q += [s, math.atan2(-up[1], up[2]), 0.4]
    mech.set_start(q)
    return mech


if __name__ == "__main__":
    mech = build()
    traj = mech.compile().simulate(*mech.start, duration=DURATION, dt=DT, method=METHOD)
    print(traj.to_html("beads_on_wires.html"))
