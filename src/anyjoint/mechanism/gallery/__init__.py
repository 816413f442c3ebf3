"""The mechanisms of the papers as functions; each has a good starting state in `mech.start`."""

from .board import board_on_spline_surface
from .chains import revolute_chain
from .kinds import every_kind, random_tree
from .knee import four_bar_knee
from .shoulder import shoulder_blade
from .tongs import tongs_with_fish
from .tori import torus_chain, torus_chain_on_spline
from .wheels import rolling_wheels
from .windmill import windmill
from .wires import beads_on_wires

__all__ = [
    "beads_on_wires", "board_on_spline_surface", "every_kind", "four_bar_knee", "random_tree", "revolute_chain",
    "rolling_wheels", "shoulder_blade", "tongs_with_fish", "torus_chain", "torus_chain_on_spline", "windmill",
]  # fmt: skip
