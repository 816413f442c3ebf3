"""Where messages lie: they are short-lived, so that links share the memory of those whose message is gone."""

from __future__ import annotations

from collections.abc import Sequence


class Messages:
    """Where each link's message of one sweep lies, and how much memory all of them need at the same time."""

    def __init__(self, parents: Sequence[int], length: int, inward: bool) -> None:
        self.length, self.size = length, 0
        self.at = [0] * len(parents)
        self._free: list[int] = []
        last_child = {parent: i for i, parent in enumerate(parents) if parent >= 0}
        for i in range(len(parents) - 1, -1, -1) if inward else range(len(parents)):
            parent, is_last = parents[i], last_child.get(parents[i]) == i
            if inward:
                if is_last:
                    self._take(parent)  # the first child to be visited
                if i in last_child:
                    self._free.append(self.at[i])
            else:
                if i in last_child:
                    self._take(i)
                if is_last:
                    self._free.append(self.at[parent])

    def _take(self, i: int) -> None:
        if not self._free:
            self._free.append(self.size)
            self.size += self.length
        self.at[i] = self._free.pop()
