"""Joints: one file each; every one is a function from coordinates to a pose."""

from .function import FunctionJoint, joint
from .joint import Coordinate, Joint, parameter
from .product_rule import Motion
from .revolute import Revolute

__all__ = ["Coordinate", "FunctionJoint", "Joint", "Motion", "Revolute", "joint", "parameter"]
