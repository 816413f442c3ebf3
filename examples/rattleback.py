"""Two equal stones, spun either way: one goes on, the other rattles, stops and turns back.

A rattleback is a boat whose masses are not in line with its keel. Rolling without slip is a constraint on velocities
that no function of coordinates expresses: five coordinates, three velocities. `joints.Rolling` takes these three, the
angular velocity in the contact frame, so nothing can slip, no multiplier is needed, and the energy is kept. Spin then
feeds rocking in one direction only, and rocking gives it back the other way round.

Paper: Pai, Ascher & Kry, "Forward dynamics algorithms for multibody chains and contact", section 6. Numbers: Kane &
Levinson, "Realistic mathematical modeling of the rattleback", Int. J. Non-Linear Mechanics 17 (1982).
"""

import math

import anyjoint as aj
from anyjoint import joints, shapes, surfaces

DURATION, DT, METHOD = 9.0, 2e-3, "dopri5"
A, B, C = 0.2, 0.03, 0.02  # half axes in metres


def stone(color):
    """The lower half of an ellipsoid, and two weights that turn the mass against the keel."""
    hull = shapes.surface(lambda u, v: (A * aj.cos(u) * aj.sin(v), B * aj.sin(u) * aj.sin(v), C * aj.cos(v)),
                          (-math.pi, math.pi), (math.pi / 2, math.pi), color=color)  # fmt: skip
    deck = shapes.surface(lambda u, r: (A * r * aj.cos(u), B * r * aj.sin(u), 0.0),
                          (-math.pi, math.pi), (0.0, 1.0), color=color)  # fmt: skip
    ends = [aj.Pose.translation(s * 0.13, -s * 0.012, 0.004) for s in (1, -1)]
    return [hull, deck, *(shapes.Sphere(0.011, color="#f1ece2", pose=end) for end in ends)]


def build(spin: float = 5.0) -> aj.Mechanism:
    """One stone spun at `spin` rad/s to the left, the other to the right."""
    mech = aj.Mechanism("rattleback", description=__doc__)
    mech.draw(shapes.Cylinder(0.44, 0.03, color="#e8cfa6", pose=aj.Pose.translation(0, 0, -0.015)))
    roll = joints.Rolling(surfaces.Plane(), surfaces.Ellipsoid(A, B, C, axis="x"))
    inertia = aj.Inertia(1.0, (0, 0, -0.01), [[2e-4, -2e-5, 0], [-2e-5, 1.6e-3, 0], [0, 0, 1.7e-3]])
    for name, side, color in (("turns back", 1, "#e4572e"), ("goes on", -1, "#2a9d8f")):
        mech.add_body(name, None, roll, aj.Pose.translation(0, 0.19 * side, 0), inertia, stone(color))
    low = [0.0, 0.0, -math.pi / 2 + 0.002, math.pi / 2 + 0.002, 0.0]  # nearly on the keel; the normal points down
    mech.set_start([*low, *low], [0.0, 0.0, spin, 0.0, 0.0, -spin])
    return mech


if __name__ == "__main__":
    mech = build()
    traj = mech.compile().simulate(*mech.start, duration=DURATION, dt=DT, method=METHOD)
    print(traj.to_html("rattleback.html"))
