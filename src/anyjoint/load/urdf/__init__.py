"""URDF: robots as trees of links and joints."""

from .read import read_urdf

__all__ = ["read_urdf"]
