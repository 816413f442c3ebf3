"""What every part of Model may rely on."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias, cast

from anyjoint.scalar.array import Dtype

if TYPE_CHECKING:
    from anyjoint.mechanism import Body, Mechanism
    from anyjoint.trace.workshop import Workshop

    from .model import Model


WhichBody: TypeAlias = "Body | str | int"  # itself, its name or its index


class Part:
    """A part of Model: questions of one kind, in a file of their own."""

    mechanism: Mechanism
    nq: int
    nv: int
    nb: int
    rates_are_velocities: bool
    dtype: Dtype
    workshop: Workshop

    @property
    def whole(self) -> Model:
        """The model that this is a part of."""
        return cast("Model", self)
