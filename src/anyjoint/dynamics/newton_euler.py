"""Recursive Newton-Euler inverse dynamics for any joint [LJ section 7]: out with velocities and accelerations, in with wrenches."""

from typing import Any

from anyjoint.spatial import zeros

from .body import algorithm
from .velocity import centripetal_acceleration, gyroscopic_couple, spin


def accelerate(body: Any, parent: Any) -> None:
    """Outward: twist, acceleration and the wrench that the body needs for it [LJ pass 1; SG eq. 11]."""
    spin(body, parent)
    S = body.S_A + body.S_B
    alpha = body.A.motion(parent.alpha) + body.a + S @ body.qdd
    body.alpha = body.W.motion(alpha) + centripetal_acceleration(body)
    body.b = body.J @ body.alpha + gyroscopic_couple(body)  # [SG eq. 4]


def collect(body: Any, parent: Any) -> None:
    """Inward: joint wrenches and generalized forces [LJ pass 2; SG eq. 14, 15]."""
    f = body.W.force(body.plus("f", body.b))
    body.generalized = (body.S_A + body.S_B).T @ f
    parent.add("f", body.A.force(f))


NEWTON_EULER = algorithm(
    "newton-euler", ("outward", accelerate), ("inward", collect), results=["generalized"], inputs=["q", "v", "qdd"]
)


def rest(body: Any, parent: Any) -> None:
    """Outward at zero joint acceleration."""
    body.qdd = zeros(len(body.qd))
    accelerate(body, parent)


BIAS = algorithm("bias", ("outward", rest), ("inward", collect), results=["generalized"], inputs=["q", "v"])
GRAVITY = algorithm("gravity", ("outward", rest), ("inward", collect), results=["generalized"], inputs=["q"])
# M times a vector: no velocity, and the caller leaves gravity out.
MOMENTUM = algorithm(
    "mass times acceleration", ("outward", accelerate), ("inward", collect), results=["generalized"], inputs=["q", "qdd"]
)
