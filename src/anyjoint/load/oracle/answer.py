"""What an oracle says: a name, our answer, and the other engine's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    from anyjoint.model import Model

Floats = Any  # arrays, ours and theirs
Answer = tuple[str, Floats, Floats]


class Oracle(Protocol):
    """A model in another engine; `size` is that of its mass matrix, which tells what is small.

    `notes` are sentences about what was not asked for in the end, and why.
    """

    size: float
    notes: list[str]

    def answers(self, model: Model, random: np.random.Generator) -> Iterator[Answer]:
        """Its answers at a random state, and ours."""
        ...
