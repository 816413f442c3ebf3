"""In which order a sweep visits links: those that share a kernel behind each other, where that can be.

A run over several links is cheaper than as many runs, and links that do not wait for each other overlap in the
processor. But messages are short-lived only if a sweep soon comes to the links that they are for, so that runs are cut.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from heapq import heappop, heappush

TOGETHER = 16  # links of one run after which those that have waited longest go on


def sweep_order(parents: Sequence[int], kinds: Sequence[Hashable | None], inward: bool) -> list[int]:
    """All links, outward parents first, inward children first; links of kind None are not worth a thought.

    Inward, links of one parent keep their order, because the first one starts the sum that the others add to.
    """
    count = len(parents)
    natural = range(count - 1, -1, -1) if inward else range(count)
    if all(parent == i - 1 for i, parent in enumerate(parents)):  # a chain: there is no other order
        return list(natural)
    sign = -1 if inward else 1  # of ranks: links as negative numbers where the last one comes first
    after = _followers(parents, inward)
    waits = [0] * count
    for links in after:
        for i in links:
            waits[i] += 1
    # Links that wait for no other, by kind and of all kinds; those that are done stay behind.
    first = sorted(sign * i for i in natural if not waits[i])
    ready: dict[Hashable | None, list[int]] = {kind: [] for kind in kinds}
    for rank in first:
        ready[kinds[sign * rank]].append(rank)
    unseen = ready.setdefault(None, [])
    made: list[int] = []
    done = [False] * count
    kind, run = None, 0
    while len(made) < count:
        queue = unseen or (ready[kind] if run < TOGETHER else None) or first
        i = sign * heappop(queue)
        if done[i]:
            continue
        if kinds[i] is not None:
            kind, run = kinds[i], run + 1 if kinds[i] == kind and queue is not first else 1
        done[i] = True
        made.append(i)
        for j in after[i]:
            waits[j] -= 1
            if not waits[j]:
                heappush(ready[kinds[j]], sign * j)
                heappush(first, sign * j)
    return made


def _followers(parents: Sequence[int], inward: bool) -> list[list[int]]:
    """Of each link those that wait for it."""
    after: list[list[int]] = [[] for _ in parents]
    last: dict[int, int] = {}
    for i, parent in enumerate(parents):
        if parent < 0:
            continue
        if not inward:
            after[parent].append(i)
            continue
        after[i].append(parent)
        if parent in last:
            after[i].append(last[parent])
        last[parent] = i
    return after
