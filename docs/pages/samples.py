"""One example of each joint kind, to draw it; kinds that need no arguments are made without any."""

from collections.abc import Callable
from typing import Any


def sample(name: str) -> Any:
    """An instance of the joint kind, or None when there is nothing to draw."""
    from anyjoint import joints

    make = SAMPLES.get(name)
    if make:
        return make(joints)
    try:
        return getattr(joints, name)()
    except TypeError:
        return None


def _torus() -> Any:
    from anyjoint.geometry import surfaces

    return surfaces.Torus(1.0, 0.35)


def _ball() -> Any:
    from anyjoint.geometry import surfaces

    return surfaces.Sphere(0.5)


def _wire() -> Any:
    from anyjoint.geometry import curves
    from anyjoint.scalar import cos, sin

    return curves.curve(lambda s: (cos(s), sin(s), 0.3 * sin(2 * s)))


def _composite(joints: Any) -> Any:
    return joints.Composite(joints.Prismatic(axis=(1, 0, 0)), joints.Revolute(axis=(0, 0, 1)))


def _curves() -> Any:
    from anyjoint.geometry import curves

    return curves


def _spline_curve(joints: Any) -> Any:
    from anyjoint.spatial import Pose

    frames = [Pose.translation(0.6 * i, 0.3 * (-1) ** i, 0.1 * i * i) @ Pose.rotation_x(0.5 * i) for i in range(7)]
    return joints.SplineCurve(frames)


def _spline_surface(joints: Any) -> Any:
    import numpy as np

    values = np.zeros((6, 5, 5))
    i, j = np.meshgrid(np.arange(5.0), np.arange(5.0), indexing="ij")
    values[0], values[1], values[2] = i, j, 0.4 * np.sin(1.3 * i) * np.cos(1.1 * j)
    return joints.SplineSurface(values)


def _knee(joints: Any) -> Any:
    from anyjoint.geometry import functions

    glide = functions.NaturalCubic([-2, -1, 0, 1, 2], [0.5, 0.2, 0.0, 0.3, 0.5])
    return joints.FunctionBased(rotations=[((0, 0, 1), functions.Linear())], translations=[((1, 0, 0), glide)])


# Each takes the module `joints`.
SAMPLES: dict[str, Callable[[Any], Any]] = {
    "Helical": lambda joints: joints.Helical(pitch=0.3),
    "Composite": _composite,
    "OnCurve": lambda joints: joints.OnCurve(_wire(), spin=True),
    "CurveCurve": lambda joints: joints.CurveCurve(_curves().Circle(0.7), _curves().Ellipse(1.2, 0.7)),
    "OnSurface": lambda joints: joints.OnSurface(_torus(), spin=True),
    "SurfaceSurface": lambda joints: joints.SurfaceSurface(_torus(), _torus()),
    "Contact": lambda joints: joints.Contact(_torus(), _torus()),
    "Rolling": lambda joints: joints.Rolling(_torus(), _ball()),
    "RollingWheel": lambda joints: joints.RollingWheel(0.3, _curves().Circle(1.1)),
    "SplineCurve": _spline_curve,
    "SplineSurface": _spline_surface,
    "FunctionBased": _knee,
}
