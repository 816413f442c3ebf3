"""MJCF: the format of MuJoCo, compiled by MuJoCo itself."""

from .read import read_mjcf

__all__ = ["read_mjcf"]
