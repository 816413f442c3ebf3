"""OpenSim: bodies, joints made of functions, coordinates that follow others."""

from .read import read_osim

__all__ = ["read_osim"]
