"""A job on its way to another process or machine: its pickle, and the machine code that it will ask for.

Code is named by what it was made of and for which processor. A worker of the same kind finds it in its cache; one of
another kind asks for another name, finds nothing, and compiles for itself, once for all workers of its machine.
"""

from __future__ import annotations

import pickle
import threading
import time
from functools import lru_cache

from anyjoint.codegen import cache
from anyjoint.frozen import frozen
from anyjoint.travel import packed

from .job import Job, Rows
from .space import Drawn

_lock = threading.Lock()  # threads of a worker wait for the first, which makes the code ready


@frozen
class Shipment:
    """The pickle of a job and of a few runs to try, and entries of the cache by key."""

    data: bytes
    entries: tuple[tuple[str, bytes], ...]


def shipped(job: Job, drawn: Drawn) -> Shipment:
    """A job ready to travel: what a worker will ask the cache for is found by doing once what it will do."""
    data = packed((job, drawn))
    with cache.recorded() as entries:
        _unpacked(data)
    return Shipment(data, tuple(entries.items()))


def work(shipment: Shipment, drawn: Drawn) -> Rows:
    """Run a chunk in a worker."""
    return job(shipment).run(drawn)


def warm_up(shipment: Shipment) -> float:
    """Make a worker ready; seconds that it took."""
    began = time.perf_counter()
    job(shipment)
    return time.perf_counter() - began


def job(shipment: Shipment) -> Job:
    with _lock:
        return arrived(shipment)


@lru_cache(maxsize=2)
def arrived(shipment: Shipment) -> Job:
    cache.offer(dict(shipment.entries))
    return _unpacked(shipment.data)


def _unpacked(data: bytes) -> Job:
    """The job with its machine code ready; loading runs code, as every pickle does."""
    job, drawn = pickle.loads(data)  # noqa: S301 (a worker trusts the one who gives it work)
    ready: Job = job.warmed(drawn)
    return ready
