"""Coordinates that are parameters of a surface."""

from anyjoint.geometry.surfaces import Surface

from .joint import Coordinate


def surface_coordinates(surface: Surface, suffix: str, wrap: bool) -> tuple[Coordinate, ...]:
    """The coordinates u and v of a surface, with its domain and periods."""
    made = []
    for k, name in enumerate("uv"):
        period, neutral = surface.periods[k], surface.neutral[k]
        wraps = wrap and period is not None
        made.append(Coordinate(name + suffix, surface.domain[k], period=period, neutral=neutral, wrap=wraps, unit=""))
    return tuple(made)
