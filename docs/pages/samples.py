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


def _wire() -> Any:
    from anyjoint.geometry import curves
    from anyjoint.scalar import cos, sin

    return curves.curve(lambda s: (cos(s), sin(s), 0.3 * sin(2 * s)))


def _composite(joints: Any) -> Any:
    return joints.Composite(joints.Prismatic(axis=(1, 0, 0)), joints.Revolute(axis=(0, 0, 1)))


# Each takes the module `joints`.
SAMPLES: dict[str, Callable[[Any], Any]] = {
    "Helical": lambda joints: joints.Helical(pitch=0.3),
    "Composite": _composite,
    "OnCurve": lambda joints: joints.OnCurve(_wire(), spin=True),
    "OnSurface": lambda joints: joints.OnSurface(_torus(), spin=True),
    "SurfaceSurface": lambda joints: joints.SurfaceSurface(_torus(), _torus()),
    "Contact": lambda joints: joints.Contact(_torus(), _torus()),
}
