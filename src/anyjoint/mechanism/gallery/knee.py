"""A knee as a crossed four-bar linkage: thigh bone, two cruciate ligaments, shin bone; in closed form."""

from __future__ import annotations

import math
from collections.abc import Sequence

from anyjoint.joints import Coupled, FourBar, Revolute
from anyjoint.mechanism import Mechanism, shapes
from anyjoint.scalar import Scalar
from anyjoint.spatial import Pose

from .palette import CORAL, IVORY, SAND, SEA

# Distances between the ends of the ligaments on the thigh (ground) and the shin (coupler), and the ligaments' lengths.
KNEE = FourBar(ground=0.05, crank=0.08, coupler=0.06, rocker=0.07)
LEG = 0.42


def four_bar_knee() -> Mechanism:
    """A sitting person's leg swings; its axis wanders as a real knee's does. Shin and foot: 2 coordinates.

    The ligaments are massless bodies that follow the same angle, so that they can be seen.
    """
    idea = "Crossed ligaments make the knee a four-bar linkage, so its axis wanders as the leg swings."
    mech = Mechanism("four-bar knee", description=idea)
    # The linkage's X-Y plane stands upright, a quarter turn so that the thigh lies level.
    sitting = Pose.rotation_x(math.pi / 2) @ Pose.rotation_z(math.pi / 2)
    mech.draw(shapes.rod((-0.5, 0, 0.025), (-0.03, 0, 0.025), 0.03, IVORY))
    mech.draw(shapes.Ellipsoid(0.03, 0.018, 0.045, color=SAND, pose=Pose.translation(-0.01, 0, 0.025)))
    # Seen from the coupler's frame, at one end of the shin's plateau, the shin runs along y.
    bone = shapes.rod((0.03, 0.03, 0), (0.03, LEG, 0), 0.024, IVORY)
    plateau = shapes.rod((-0.005, 0.015, 0), (0.065, 0.015, 0), 0.02, SAND)
    shin = mech.add_body("shin", None, KNEE, sitting, bone.inertia(3.5), [bone, plateau], damping=0.02)
    anterior = shapes.rod((0, 0, 0.025), (KNEE.crank, 0, 0.025), 0.006, CORAL)
    posterior = shapes.rod((0, 0, -0.025), (KNEE.rocker, 0, -0.025), 0.006, SEA)
    mech.add_body("anterior ligament", None, Coupled(Revolute(), _same, "shin"), sitting, None, anterior)
    mech.add_body("posterior ligament", None, Coupled(ROCKER, _same, "shin"), sitting, None, posterior)
    foot = shapes.Box(0.22, 0.06, 0.08, color=SAND, pose=Pose.translation(-0.05, 0.03, 0))
    ankle = Pose.translation(0.03, LEG + 0.02, 0)
    mech.add_body("foot", shin, Revolute(), ankle, foot.inertia(0.9), foot, stiffness=3.0, damping=0.05)
    mech.set_start([-1.15, 0.0])
    return mech


ROCKER = FourBar(KNEE.ground, KNEE.crank, KNEE.coupler, KNEE.rocker, body="rocker")


def _same(q: Sequence[Scalar]) -> tuple[Scalar, ...]:
    return (q[0],)
