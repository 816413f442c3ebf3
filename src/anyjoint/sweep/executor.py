"""Who runs the chunks: threads of this process, any executor of concurrent.futures, or a Dask cluster.

All of them are executors in the end: chunks are handed out a few ahead, and come back in any order.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import Any

from anyjoint.errors import AnyjointError, InputError

from .job import Job, Rows
from .shipment import Shipment, shipped, work
from .space import Drawn

Numbered = Iterator[tuple[int, Drawn]]
Submit = Callable[[Drawn], "Future[Rows]"]
AHEAD = 64  # chunks that wait for a worker; those of a cluster that grows want to see some


def results(job: Job, chunks: Numbered, executor: Any, sample: Drawn) -> Generator[tuple[int, Rows], None, None]:
    """Rows of the chunks in the order in which they are done."""
    with _submitter(job, executor, sample) as submit:
        yield from _windowed(job, chunks, submit)


def _windowed(job: Job, chunks: Numbered, submit: Submit) -> Iterator[tuple[int, Rows]]:
    """Keep some chunks handed out until all are done."""
    waiting: dict[Future[Rows], tuple[int, Drawn]] = {}
    lost: list[tuple[int, Drawn]] = []
    try:
        for number, drawn in chunks:
            try:
                waiting[submit(drawn)] = number, drawn
            except BrokenExecutor:
                lost.append((number, drawn))
            except RuntimeError as error:
                raise InputError(f"executor: {error}; give one that is open") from error
            if len(waiting) >= AHEAD:
                yield from _done(waiting, lost)
        while waiting:
            yield from _done(waiting, lost)
    finally:
        for future in waiting:
            future.cancel()
    if lost:
        warnings.warn(f"the executor broke; {len(lost)} chunks of the sweep run in this process", stacklevel=4)
    for number, drawn in lost:
        yield number, job.run(drawn)


def _done(waiting: dict[Future[Rows], tuple[int, Drawn]], lost: list[tuple[int, Drawn]]) -> Iterator[tuple[int, Rows]]:
    """Wait for some chunks; those whose workers are gone are noted as lost."""
    done, _ = wait(waiting, return_when=FIRST_COMPLETED)
    for future in done:
        number, drawn = waiting.pop(future)
        try:
            rows = future.result()
        except BrokenExecutor:
            lost.append((number, drawn))
        except Exception as error:
            if type(error).__name__ != "KilledWorker":
                raise
            raise AnyjointError(
                f"chunk {number} of the sweep has lost its worker again and again: {error}; look at the memory of the "
                "workers. With a store, a rerun goes on from here"
            ) from error
        else:
            yield number, rows


@contextmanager
def _submitter(job: Job, executor: Any, sample: Drawn) -> Iterator[Submit]:
    """How to hand out a chunk."""
    if executor is None:
        with ThreadPoolExecutor(processors()) as pool:
            yield lambda drawn: pool.submit(job.run, drawn)
    elif isinstance(executor, ThreadPoolExecutor):
        yield lambda drawn: executor.submit(job.run, drawn)
    elif isinstance(executor, Executor):
        parcel = shipped(job, sample)
        yield lambda drawn: executor.submit(work, parcel, drawn)
    else:
        pool = executor.get_executor(pure=False)  # Dask itself runs again what was lost with a worker
        # The shipment goes once to every worker that needs it, and again if it was lost with one.
        remote = executor.submit(_itself, shipped(job, sample), pure=False)
        yield lambda drawn: pool.submit(work, remote, drawn)


def check_executor(executor: object) -> None:
    """Refuse what cannot run chunks."""
    if executor is not None and not isinstance(executor, Executor) and not is_dask(executor):
        raise InputError(
            f"executor={executor!r}; expected None (threads of this process), an executor of concurrent.futures, or a "
            "dask.distributed.Client"
        )


def _itself(shipment: Shipment) -> Shipment:
    return shipment


def is_dask(executor: object) -> bool:
    """Whether something is a client of Dask distributed."""
    return type(executor).__module__.split(".")[0] == "distributed" and hasattr(executor, "get_executor")


def processors() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
