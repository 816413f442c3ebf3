"""Curves, surfaces, signed distances and scalar functions that joints ride on and contacts meet, over any scalar."""

from . import curves, distances, functions, surfaces

__all__ = ["curves", "distances", "functions", "surfaces"]
