"""Curves, surfaces, signed distances and scalar functions that joints ride on and contacts meet, over any scalar.

Folders are loaded when they are first asked for: most robots have neither curves nor surfaces.
"""

__all__ = ["curves", "distances", "functions", "surfaces"]
