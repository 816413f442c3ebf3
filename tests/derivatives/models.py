"""Small mechanisms with all that derivatives can stumble over."""

import numpy as np

import anyjoint as aj
from anyjoint import joints, surfaces


def tensor(rng):
    """A tensor that a body can have."""
    axes = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    return axes @ np.diag(rng.uniform(1.0, 1.5, 3)) @ axes.T


def zoo(form="auto", kinds=None):
    """A chain of a quaternion, a sprung hinge, a screw, a weld, a slider, a torus on a torus and a rotation vector."""
    rng = np.random.default_rng(5)
    mech, last = aj.Mechanism("zoo", gravity=(1, 2, -9)), None
    torus = surfaces.Torus(1.0, 0.3)
    chain = kinds or [
        joints.FreeQuaternion(), joints.Revolute(axis=(1, 2, 2)), joints.Helical(axis=(0, 0, 1), pitch=0.3),
        joints.Fixed(), joints.Prismatic(axis=(0, 1, 1)), joints.SurfaceSurface(torus, torus), joints.Spherical(),
    ]  # fmt: skip
    for k, joint in enumerate(chain):
        spring = {"stiffness": 2.0, "damping": 0.3} if k in (1, 4) else {}
        place = aj.Pose.translation(*rng.normal(size=3)) @ aj.Pose.rotation(rng.normal(size=3), 0.7)
        inertia = aj.Inertia(mass=1.0 + k, com=tuple(rng.normal(size=3)), tensor=tensor(rng))
        last = mech.add_body(
            f"b{k}", parent=last or mech.ground, joint=joint, placement=place, inertia=inertia, **spring
        )
    return mech.compile(form=form)


def state(model, seed=3):
    """A state away from special places; quaternions are of length one."""
    rng = np.random.default_rng(seed)
    q = rng.uniform(0.2, 0.8, model.nq)
    for body in model.mechanism.bodies:
        if isinstance(body.joint, joints.FreeQuaternion):
            part = slice(body.q.start + 3, body.q.start + 7)
            q[part] /= np.linalg.norm(q[part])
    return q, rng.normal(size=model.nv), rng.normal(size=model.nv)


def pendulum():
    """A bob of a kilogram on a metre of nothing."""
    mech = aj.Mechanism("pendulum", gravity=(0, 0, -9.81))
    mech.add_body("bob", joint=joints.Revolute(axis=(0, 1, 0)), inertia=aj.Inertia.point(1.0, (0, 0, -1)))
    return mech.compile()
