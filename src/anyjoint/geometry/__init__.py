"""Curves, surfaces and scalar functions that joints ride on, over any scalar."""

from . import curves, functions, surfaces

__all__ = ["curves", "functions", "surfaces"]
