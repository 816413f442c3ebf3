"""A pole on a cart: swung up by a motor that only pushes the cart, then balanced.

The motor's force over time is found by L-BFGS on gradients through the whole run; from the top on, a linear regulator
holds the pole. The page has a slider over the iterations: from a random push to a swing that ends upright at rest.
"""

import numpy as np

import anyjoint as aj
from anyjoint import joints, shapes
from anyjoint.optimal import Optimised

DURATION, DT = 2.0, 0.01


def build() -> aj.Mechanism:
    """A cart of a kilogram on rails, and a pole of a metre."""
    mech = aj.Mechanism("cart and pole", gravity=(0, 0, -9.81), description=__doc__)
    mech.draw(*(shapes.rod((-2.5, y, -0.08), (2.5, y, -0.08), 0.015, "#8a97a8") for y in (-0.1, 0.1)))
    box = shapes.Box(0.3, 0.2, 0.12, color="#4c7ef3")
    cart = mech.add_body("cart", joint=joints.Prismatic(axis=(1, 0, 0)), inertia=box.inertia(1.0), shape=box)
    stick = shapes.rod((0, 0, 0), (0, 0, -0.9), 0.018, "#2f3542")
    ball = shapes.Sphere(0.06, color="#e4572e", pose=aj.Pose.translation(0, 0, -0.95))
    pole = aj.Inertia(mass=0.3, com=(0, 0, -0.6), tensor=np.diag([0.03, 0.03, 0.001]))
    mech.add_body("pole", cart, joints.Revolute(axis=(0, 1, 0)), inertia=pole, shape=[stick, ball])
    return mech


def swing_up(iterations: int = 120) -> Optimised:
    """The force that brings the pole up, at rest, with the cart where it was."""
    push = np.random.default_rng(1).normal(size=(41, 2)) * (1.0, 0.0)  # to break the symmetry
    return aj.optimise(
        build().compile(), {"tau": push}, q0=[0, 0], v0=[0, 0], duration=DURATION, dt=DT, actuated=["cart"],
        bounds={"tau": (-30, 30)}, iterations=iterations,
        final=lambda q, v: 10 * (q[0] ** 2 + 1 + aj.cos(q[1]) + 0.1 * (v[0] ** 2 + v[1] ** 2)),
        running=lambda t, q, v, tau: 1e-3 * tau[0] ** 2,
    )  # fmt: skip


def balance(found: Optimised) -> aj.Trajectory:
    """On from where the swing ends, by feedback."""
    model, (q, v) = found.traj.model, (found.traj.q[-1], found.traj.v[-1])
    top = np.array([0.0, np.pi * np.round(q[1] / np.pi)])
    law = aj.lqr(model, top, Q=[10, 10, 1, 1], R=0.1, actuated=["cart"])
    return model.simulate(q, v, duration=6.0, dt=DT, tau=law)


if __name__ == "__main__":
    found = swing_up()
    print(found)
    print(found.to_html("cart_pole.html"))
    print(balance(found).to_html("balanced.html"))
