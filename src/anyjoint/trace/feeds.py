"""Rows of constraints and forces that kernels write and sweeps load."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from anyjoint.codegen import Place
from anyjoint.codegen.builder import Builder
from anyjoint.scalar import Scalar
from anyjoint.tree.columns import FEEDS
from anyjoint.tree.plan import Link

from .numbers import Pattern
from .straight import parts_of


@dataclass
class Feeds:
    """Rows that kernels write for sweeps: where they stand in the work array, and what is exact in them, by link."""

    rooms: dict[str, Place]
    exact: list[dict[str, list[Scalar]]]

    @staticmethod
    def of(builder: Builder, links: Sequence[Link]) -> Feeds:
        """Room for the rows of all links, and zeros."""
        ends = {name: max((part.stop for part in parts_of(name, links)), default=0) for name in FEEDS}
        exact: list[dict[str, list[Scalar]]] = [{} for _ in links]
        for name in FEEDS:
            for own, part in zip(exact, parts_of(name, links), strict=True):
                if part.stop > part.start:
                    own[name] = [0.0] * (part.stop - part.start)
        return Feeds({name: builder.room(end) for name, end in ends.items()}, exact)

    def patterns(self) -> list[dict[str, Pattern]]:
        """The exact entries of every link's rows."""
        return [{name: tuple(entries) for name, entries in feed.items()} for feed in self.exact]
