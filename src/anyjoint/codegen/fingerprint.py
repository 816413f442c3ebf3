"""A digest of everything that decides the generated code, so that a cached object is found without printing text."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from anyjoint.codegen import cache
from anyjoint.codegen.ir import place
from anyjoint.codegen.kernel import Kernel, Schedule, check_kernel
from anyjoint.codegen.source import source_digest
from anyjoint.codegen.target import Target
from anyjoint.symbolic.ops import ARITY, Op
from anyjoint.symbolic.rewrite import reachable

GENERATOR = Path(__file__).resolve().parent  # another one may print other code for the same expressions


def fingerprint(entry: str, schedule: Schedule, target: Target) -> str:
    """Digest of the kernels' live nodes, loads and stores (not of names), the target, and the generator itself.

    That of a schedule which was stored is stored, too: schedules of other mechanisms may have the same kernels.
    """
    if not schedule.name:
        return _fingerprint(entry, schedule, target)
    key = cache.key_of("fingerprint", source_digest(GENERATOR), entry, repr(target), schedule.name)
    return cache.once(key, lambda: _fingerprint(entry, schedule, target).encode())[0].decode()


def _fingerprint(entry: str, schedule: Schedule, target: Target) -> str:
    digest = hashlib.sha256(repr(list(Op)).encode())
    for part in (source_digest(GENERATOR), entry, repr(target), " ".join(array.kind for array in schedule.arrays)):
        _feed(digest, part.encode())
    for number, kernel in enumerate(schedule.kernels):
        check_kernel(kernel, f"kernel {number}")
        for part_of_kernel in kernel_words(kernel):
            _feed(digest, part_of_kernel)
    return digest.hexdigest()


def _feed(digest: hashlib._Hash, data: bytes) -> None:
    digest.update(len(data).to_bytes(8, "little"))
    digest.update(data)


def kernel_words(kernel: Kernel) -> Iterable[bytes]:
    """Operations and operands of the live nodes, renumbered; then what the leaves mean and where results go."""
    graph = kernel.graph
    live = reachable(graph, [store.node.id for store in kernel.stores])
    ids = np.array(live, dtype=np.int64)
    ops = [graph.op[node] for node in live]
    yield " ".join(f"{array.kind} {array.wide} {array.step}" for array in kernel.arrays).encode()
    yield str(kernel.columns).encode()
    yield np.array(ops, dtype=np.int8).tobytes()
    arity = np.array([ARITY[op] for op in ops], dtype=np.int64)
    for position, column in enumerate((graph.a, graph.b, graph.c)):
        operands = np.array([column[node] for node in live], dtype=np.int64)
        yield np.where(arity > position, np.searchsorted(ids, operands), -1).astype(np.int32).tobytes()
    yield np.array([graph.constants[graph.a[i]] for i, op in zip(live, ops, strict=True) if op == Op.CONST]).tobytes()
    yield np.array([place(kernel, i) for i, op in zip(live, ops, strict=True) if op == Op.VAR], np.int64).tobytes()
    for node, op in zip(live, ops, strict=True):
        if op == Op.GATHER:
            yield np.array(graph.tables[graph.b[node]]).tobytes()
    stores = [(s.node.id, s.array, s.offset, s.accumulate) for s in kernel.stores]
    table = np.array(stores, dtype=np.int64).reshape(-1, 4)
    table[:, 0] = np.searchsorted(ids, table[:, 0])
    yield table.tobytes()
    # Stores wait for the loads of their array, so all loads matter, not only the live ones.
    yield repr(sorted({array for array, _ in kernel.loads.values()})).encode()

