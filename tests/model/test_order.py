"""The order in which sweeps by kernels visit links, and where their messages lie."""

from itertools import pairwise

import numpy as np
import pytest

from anyjoint.trace.messages import Messages
from anyjoint.trace.order import TOGETHER, sweep_order

COUNT = 60


def tree(seed):
    """Parents and kinds of some links; kind None is that of links which need no visit."""
    rng = np.random.default_rng(seed)
    parents = [int(rng.integers(-1, i)) for i in range(COUNT)]
    return parents, [[None, "a", "b"][rng.integers(3)] for _ in range(COUNT)]


@pytest.mark.parametrize("inward", [False, True])
@pytest.mark.parametrize("seed", range(10))
def test_nothing_is_visited_too_early(seed, inward):
    parents, kinds = tree(seed)
    order = sweep_order(parents, kinds, inward)
    at = {i: k for k, i in enumerate(order)}
    assert sorted(order) == list(range(COUNT))
    for i, parent in enumerate(parents):
        assert parent < 0 or (at[i] < at[parent]) == inward
    for i, j in zip(range(COUNT), range(1, COUNT), strict=False):
        if inward and parents[i] == parents[j] >= 0:
            assert at[j] < at[i]  # sums begin with the last of the children


@pytest.mark.parametrize("inward", [False, True])
@pytest.mark.parametrize("seed", range(10))
def test_messages_stay_until_they_are_read(seed, inward):
    """While a link's message is written to or waited for, no other lies in its place."""
    parents, kinds = tree(seed)
    order = sweep_order(parents, kinds, inward)
    messages, length = Messages(parents, 3, inward, order), 3
    at = {i: k for k, i in enumerate(order)}
    lives = {}
    for i in range(COUNT):
        visits = [at[j] for j in range(COUNT) if parents[j] == i]
        if visits:
            lives[i] = (min(visits), at[i]) if inward else (at[i], max(visits))
    assert messages.size == length * (1 + max(messages.at[i] for i in lives) // length)
    for i, (begin, end) in lives.items():
        for j, (start, stop) in lives.items():
            if i < j and begin <= stop and start <= end:
                assert messages.at[i] != messages.at[j]


def test_links_of_one_kind_come_together():
    """Arms of two links on the ground: two runs instead of one for each link, cut where too many would wait."""
    parents = [k - 1 if k % 2 else -1 for k in range(4 * TOGETHER)]
    kinds = ["arm" if k % 2 else "base" for k in range(len(parents))]
    for inward in (False, True):
        visited = [kinds[i] for i in sweep_order(parents, kinds, inward)]
        changes = sum(a != b for a, b in pairwise(visited))
        assert changes == 3
