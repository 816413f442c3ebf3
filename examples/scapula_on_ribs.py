"""A shoulder blade with a shape of its own: its hollow underside slides on the rib cage, surface on surface.

In `shoulder-blade` a frame rides on the ribs and turns. Here two surfaces touch: the cage is an ellipsoid, the
underside of the blade is hollow, but less than the ribs are round. Four coordinates tell where they touch on either;
the blade can rock over the ribs as well as glide along them. Springs stand for the muscles that hold it.

Papers: Guenter & Lee, eq. 15 and section 7; Si & Guenter, section 6 ("a surface-surface type scapula joint").
"""

import anyjoint as aj
from anyjoint import joints, shapes, surfaces

DURATION, DT, METHOD = 6.0, 1e-3, "rk4"
RIBS, REST = surfaces.Ellipsoid(0.15, 0.12, 0.19), (-0.9, 1.15, 0.0, 0.0)
HOLLOW = surfaces.surface(lambda u, v: (u, v, 0.5 * (u * u + v * v)), domain=((-0.08, 0.08), (-0.1, 0.1)))


def build() -> aj.Mechanism:
    """Blade on the ribs (4 coordinates), ball joint of the arm (3), elbow (1)."""
    mech = aj.Mechanism("scapula on ribs", description=__doc__)
    cage = surfaces.Ellipsoid(0.146, 0.116, 0.186)  # drawn a little smaller, because ribs have a thickness
    mech.draw(shapes.Ellipsoid(0.144, 0.114, 0.184, color="#f1ece2"), shapes.net(cage, color="#e8cfa6"))
    plate, socket = shapes.surface(HOLLOW, color="#e07a5f"), aj.Pose.translation(0.1, -0.08, -0.02)
    # Its frame looks at the ribs with z, so that the bone and the arm are on the side of -z.
    bone = aj.Inertia.box(0.7, 0.14, 0.16, 0.02).moved(aj.Pose.translation(0, 0, -0.01))
    ridge = shapes.rod((-0.06, -0.05, -0.01), tuple(socket.p), 0.009, "#e07a5f")
    blade = mech.add_body(
        "blade", None, joints.SurfaceSurface(RIBS, HOLLOW), None, bone, [plate, ridge],
        stiffness=(40.0, 120.0, 1500.0, 2500.0), damping=(0.6, 0.6, 4.0, 4.0), rest=REST,
    )  # fmt: skip
    upper = shapes.rod((0, 0, 0), (0, 0, -0.28), 0.026, "#f1ece2")
    lower = shapes.rod((0, 0, 0), (0, 0, -0.3), 0.02, "#f1ece2")
    hanging = socket @ aj.Pose.from_rotation(joints.SurfaceSurface(RIBS, HOLLOW).pose(REST).R.T)
    arm = mech.add_body("upper arm", blade, joints.Spherical(), hanging, upper.inertia(2.0), upper, damping=0.15)
    elbow, bent = joints.Revolute((1, 0, 0)), aj.Pose.translation(0, 0, -0.28)
    mech.add_body("forearm", arm, elbow, bent, lower.inertia(1.4), lower, damping=0.08, stiffness=0.4, rest=0.5)
    mech.set_start([*REST, 0.0, -1.2, 0.0, 0.6])
    return mech


if __name__ == "__main__":
    mech = build()
    traj = mech.compile().simulate(*mech.start, duration=DURATION, dt=DT, method=METHOD)
    print(traj.to_html("scapula_on_ribs.html"))
