"""The mechanisms of the papers as functions; each has a good starting state in `mech.start`."""

from .board import board_on_spline_surface
from .chains import revolute_chain
from .kinds import every_kind, random_tree
from .shoulder import shoulder_blade
from .tori import torus_chain, torus_chain_on_spline
from .windmill import windmill
from .wires import beads_on_wires

__all__ = [
    "beads_on_wires", "board_on_spline_surface", "every_kind", "random_tree", "revolute_chain", "shoulder_blade",
    "torus_chain", "torus_chain_on_spline", "windmill",
]  # fmt: skip
