"""What formulations with multipliers assemble of constraints; not for export."""

from ..constraint_blocks import blocks
from ..constraints import asked
from ..quantity import Q, Quantity, T, V

CONSTRAINT_BLOCKS = Quantity(
    "constraint_blocks",
    "Per constraint: its rows on links and coordinates in inner frames, and what velocities contribute.",
    (Q, V, T),
    (),
    asked("blocks", ("q", "v"), blocks),
    optional=("t",),
    among="constrained",
)
