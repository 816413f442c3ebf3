"""The mechanisms of the papers as functions; each has a good starting state in `mech.start`."""

from .arm import arm
from .bicycle import bicycle
from .board import board_on_spline_surface
from .bracelet import bracelet
from .chains import revolute_chain
from .gears import differential
from .kinds import every_kind, random_tree
from .knee import four_bar_knee
from .linkages import chain_of_four_bars, four_bar, peaucellier, scissor_lift
from .machines import delta_robot, slider_crank, squeezer, stewart_platform
from .shoulder import shoulder_blade
from .tensegrity import tensegrity
from .tongs import tongs_with_fish
from .tori import torus_chain, torus_chain_on_spline
from .wheels import rolling_wheels
from .windmill import windmill
from .wires import beads_on_wires

__all__ = [
    "arm", "beads_on_wires", "bicycle", "board_on_spline_surface", "bracelet", "chain_of_four_bars", "delta_robot",
    "differential", "every_kind", "four_bar", "four_bar_knee", "peaucellier", "random_tree", "revolute_chain",
    "rolling_wheels", "scissor_lift", "shoulder_blade", "slider_crank", "squeezer", "stewart_platform", "tensegrity",
    "tongs_with_fish", "torus_chain", "torus_chain_on_spline", "windmill",
]  # fmt: skip
