"""Coordinates that are parameters of a surface."""

from anyjoint.geometry.surfaces import Surface

from .joint import Coordinate


def surface_coordinates(surface: Surface, suffix: str, wrap: bool) -> tuple[Coordinate, ...]:
    """The coordinates u and v of a surface, with its domain and periods."""
    made = []
    for k, name in enumerate("uv"):
        period = surface.periods[k]
        made.append(Coordinate(
            name + suffix, surface.domain[k], period=period, neutral=surface.neutral[k], unit="",
            wrap=wrap and period is not None, defined=surface.defined[k],
        ))  # fmt: skip
    return tuple(made)
