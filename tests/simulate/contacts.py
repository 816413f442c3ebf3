"""Balls, blocks and rods on planes, whose motion with contact is known in closed form."""

import math

import numpy as np

import anyjoint as aj
from anyjoint import surfaces

G = 9.81
RADIUS, MASS = 0.1, 0.5


def ball_on_plane(friction=0.3, restitution=0.0, start="flight", tilt=0.0, inertia=None, radius=RADIUS):
    """A ball on a plane that is tilted about y, so that x goes down the slope."""
    mech = aj.Mechanism("ball", gravity=(G * math.sin(tilt), 0, -G * math.cos(tilt)))
    mech.add_contact_body(
        "ball", surfaces=(surfaces.Plane(), surfaces.Sphere(radius)), friction=friction, restitution=restitution,
        start=start, inertia=inertia or aj.Inertia.sphere(MASS, radius),
    )  # fmt: skip
    return mech


def free(height=RADIUS, velocity=(0, 0, 0), omega=(0, 0, 0)):
    """The state of a flying ball that stands upright."""
    return np.array([1.0, 0, 0, 0, 0, 0, height]), np.array([*omega, *velocity], dtype=float)


def touching(mech, velocity=(0, 0, 0), omega=(0, 0, 0), at=(0.0, 0.0)):
    """The state of a ball on its plane, by the velocities of its middle and its angular velocity in the world."""
    body = mech.bodies[0]
    q = np.array([*at, 0.3, 1.2, 0.4])
    pose, contact = body.joint.pose(q.tolist()), body.joint.legs(q.tolist())[1]
    R, turn = np.array(pose.R, dtype=float), np.array(contact.R, dtype=float)
    omega, velocity = R.T @ omega, R.T @ velocity
    slip = turn.T @ (velocity + np.cross(omega, np.array(contact.p, dtype=float)))
    return q, np.array([*(turn.T @ omega), *slip[:2]])[: body.joint.nv]


def changes(traj):
    """The modes that a run went through, without times."""
    return [record.change for record in traj.modes]


def middle(traj):
    """Velocity of the body's middle in the world, and its angular velocity there, at every sample."""
    poses, twists = traj.model.body_poses(traj.q)[:, 0], traj.model.body_twists(traj.q, traj.v)[:, 0]
    R = poses[:, :3, :3]
    return np.einsum("nij,nj->ni", R, twists[:, 3:]), np.einsum("nij,nj->ni", R, twists[:, :3])
