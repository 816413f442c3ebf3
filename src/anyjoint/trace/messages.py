"""Where messages lie: they are short-lived, so that links share the memory of those whose message is gone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence


class Messages:
    """Where each link's message of one sweep lies, and how much memory all of them need at the same time."""

    def __init__(self, parents: Sequence[int], length: int, inward: bool, order: Sequence[int] = ()) -> None:
        """`order` is that of the visits; without one, from one end of the numbering to the other."""
        self.length, self.size = length, 0
        self.at = [0] * len(parents)
        self._free: list[int] = []
        children = Counter(parents)
        left = Counter(parents)  # children that have not been visited yet
        for i in order or (range(len(parents) - 1, -1, -1) if inward else range(len(parents))):
            parent = parents[i]
            if inward:
                if parent >= 0 and left[parent] == children[parent]:
                    self._take(parent)  # the first child to be visited
                if children[i]:
                    self._free.append(self.at[i])
            elif children[i]:
                self._take(i)
            left[parent] -= 1
            if not inward and parent >= 0 and not left[parent]:
                self._free.append(self.at[parent])

    def _take(self, i: int) -> None:
        if not self._free:
            self._free.append(self.size)
            self.size += self.length
        self.at[i] = self._free.pop()
