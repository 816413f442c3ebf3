"""Outward sweeps that answer questions about motion: world poses, link blocks, energy, momentum."""

from typing import Any

from anyjoint.spatial import Vector, cross, dot, vector, zeros

from .algorithm import algorithm
from .velocity import child_frame, gyroscopic_wrench, move


def place(body: Any, parent: Any) -> None:
    """World pose of a link: T = T_parent G [SG eq. 6], as rotation and origin."""
    G = body.A @ body.W
    body.R = parent.R @ G.R
    body.p = parent.R @ G.p + parent.p


def measure(body: Any, parent: Any) -> None:
    """Kinetic energy, mass times centre, momentum in the world's axes about the origin; springs say what they store."""
    move(body, parent)
    place(body, parent)
    momentum = body.J @ body.v
    body.kinetic = vector(0.5 * dot(body.v, momentum))
    h = vector(body.J.B[2, 1], body.J.B[0, 2], body.J.B[1, 0])
    body.moment = body.R @ h + body.J.C[0, 0] * body.p  # m times the centre of mass, in the world
    linear = body.R @ momentum[3:]
    body.momentum = _about_origin(body.R @ momentum[:3], linear, body.p)
    body.mass = vector(body.J.C[0, 0])


def _about_origin(angular: Vector, linear: Vector, p: Vector) -> Vector:
    out = zeros(6)
    out[:3] = angular + cross(p, linear)
    out[3:] = linear
    return out


def blocks(body: Any, parent: Any) -> None:
    """Everything that the dense formulations assemble: G, S, velocity products and gyroscopic wrenches per link."""
    move(body, parent)
    child_frame(body)
    body.G_R, body.G_p = body.G.R, body.G.p
    body.a = body.W.motion(body.a)
    body.b = gyroscopic_wrench(body)


POSES = algorithm("poses", ("outward", place), results=["R", "p"], inputs=["q"])
MEASURE = algorithm(
    "energy and momentum",
    ("outward", measure),
    results=["kinetic", "moment", "momentum", "mass", "stored"],
    inputs=["q", "v"],
)
BLOCKS = algorithm("blocks", ("outward", blocks), results=["G_R", "G_p", "a", "b", "S"], inputs=["q", "v"])
