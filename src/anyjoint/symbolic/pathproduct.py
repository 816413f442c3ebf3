"""Products of many factors with common parts: the pair that occurs most often is multiplied first, everywhere."""

import heapq
from collections.abc import Hashable
from itertools import pairwise
from typing import TypeVar

from anyjoint.symbolic.graph import Graph
from anyjoint.symbolic.ops import Op

Key = TypeVar("Key", bound=Hashable)
Pair = tuple[int, int]


def share_products(g: Graph, paths: dict[Key, list[int]]) -> dict[Key, int]:
    """The product of each path's factors; only neighbours in a path are paired, as D* does."""
    one = g.constant_id(1.0)
    work = [[value for value in path if value != one] for path in paths.values()]
    where: dict[Pair, set[int]] = {}  # paths that may contain a pair
    for k, path in enumerate(work):
        for pair in _pairs(path):
            where.setdefault(pair, set()).add(k)
    # deterministic: the most frequent pair first, the oldest nodes among equals; counts in the heap may be too high
    heap = [(-len(users), pair[::-1]) for pair, users in where.items()]
    heapq.heapify(heap)
    while heap:
        count, (second, first) = heapq.heappop(heap)
        users = where.get((first, second), set())
        if len(users) < -count:
            if users:
                heapq.heappush(heap, (-len(users), (second, first)))
            continue
        for pair in _merge_everywhere(g, work, where, (first, second)):
            heapq.heappush(heap, (-len(where[pair]), pair[::-1]))
    return {key: path[0] if path else one for key, path in zip(paths, work, strict=True)}


def _merge_everywhere(g: Graph, work: list[list[int]], where: dict[Pair, set[int]], pair: Pair) -> list[Pair]:
    """Multiply one pair wherever it occurs; returns the pairs that have become more frequent."""
    product = g.node(Op.MUL, *pair)
    grown: dict[Pair, None] = {}
    for k in sorted(where.pop(pair)):
        before = set(_pairs(work[k]))
        work[k] = _merge(work[k], pair, product)
        after = _pairs(work[k])
        for lost in before.difference(after, [pair]):
            where[lost].discard(k)
        for new in after:
            if new == pair or new not in before:
                where.setdefault(new, set()).add(k)
                grown[new] = None
    return list(grown)


def _pairs(path: list[int]) -> list[Pair]:
    return [(a, b) if a <= b else (b, a) for a, b in pairwise(path)]


def _merge(path: list[int], pair: Pair, product: int) -> list[int]:
    merged: list[int] = []
    k = 0
    while k < len(path):
        if k + 1 < len(path) and (path[k], path[k + 1]) in (pair, pair[::-1]):
            merged.append(product)
            k += 2
        else:
            merged.append(path[k])
            k += 1
    return merged
