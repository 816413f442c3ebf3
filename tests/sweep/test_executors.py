"""Executors: threads, processes and a Dask cluster give the same bits; lost workers cost nothing but time."""

import os
import re
import signal
import subprocess
import sys
import threading
import time
import warnings
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pytest

import anyjoint as aj
from anyjoint.codegen import cache
from anyjoint.errors import AnyjointError, InputError
from anyjoint.sweep.executor import is_dask
from anyjoint.sweep.shipment import arrived, shipped, work
from tests.sweep.models import last_angle, swept


class Here(Executor):
    """Runs at once, in this thread, what was pickled to it; some calls are lost."""

    def __init__(self, lost=(), error=BrokenProcessPool):
        self.calls, self.lost, self.error = 0, lost, error

    def submit(self, function, /, *args, **kwargs):
        future: Future = Future()
        self.calls += 1
        if self.calls in self.lost:
            future.set_exception(self.error("gone"))
        else:
            try:
                future.set_result(function(*args, **kwargs))
            except BaseException as error:
                future.set_exception(error)
        return future


def test_threads_and_any_executor_give_the_same_bits():
    plain = swept().values
    with ThreadPoolExecutor(3) as pool:
        assert np.array_equal(swept(executor=pool).values, plain)
    here = Here()
    assert np.array_equal(swept(executor=here, measure=lambda traj: traj.q[-1, 0]).values, plain)
    assert here.calls == 3  # chunks of 16


def test_what_is_lost_with_its_pool_is_run_here():
    with pytest.warns(UserWarning, match="2 chunks of the sweep run in this process"):
        found = swept(executor=Here(lost=(1, 3)))
    assert found.complete
    assert np.array_equal(found.values, swept().values)


class KilledWorker(Exception):
    """As Dask's, when a task has killed several workers."""


def test_a_chunk_that_kills_its_workers_is_said(tmp_path):
    with pytest.raises(AnyjointError, match="chunk 1 of the sweep has lost its worker again and again"):
        swept(executor=Here(lost=(2,), error=KilledWorker), store=tmp_path / "run")
    assert np.array_equal(swept(store=tmp_path / "run").values, swept().values)


def test_varying_shapes_are_refused_from_a_worker_too():
    def varying(traj):
        return traj.q[: 3 if abs(traj.q[0, 0]) < 0.9 else 4, 0]

    with pytest.raises(InputError, match="returned shape"):
        swept(executor=Here(), measure=varying)


def test_joints_and_forces_of_the_users_own_travel_along():
    @aj.joint(dof=1)
    def bead(q):
        return aj.Pose.translation(aj.cos(q[0]), aj.sin(q[0]), 0.2 * q[0])

    mech = aj.Mechanism("own")
    mech.add_body("bead", joint=bead, inertia=aj.Inertia.sphere(1.0, 0.1))
    push = aj.forces.Wrench("bead", force=(0.0, 0.0, lambda t: np.sin(30 * t)))
    given = {"space": {"bead/mass": aj.uniform(1, 2)}, "n": 4, "forces": [push], "measure": "final"}
    model = mech.compile()
    assert np.array_equal(swept(model, executor=Here(), **given).values, swept(model, **given).values)


def test_what_cannot_travel_is_said():
    lock = threading.Lock()
    with pytest.raises(AnyjointError, match="cannot be stored"):
        swept(executor=Here(), measure=lambda traj: bool(lock) * traj.q[-1, 0])


# -- machine code on the way ------------------------------------------------------------------------------------------


@pytest.fixture
def own_cache(tmp_path, monkeypatch):
    """Moves to a cache of that name."""
    arrived.cache_clear()

    def move(name):
        monkeypatch.setenv("ANYJOINT_CACHE", str(tmp_path / name))
        return tmp_path / name

    yield move
    arrived.cache_clear()


def a_shipment():
    space = swept(n=16).space
    job = swept(n=16).job
    return shipped(job, space.draw(0, 2)), space.draw(0, 16), job


def test_a_worker_compiles_nothing_that_was_shipped(own_cache, monkeypatch):
    own_cache("driver")
    parcel, drawn, job = a_shipment()
    assert len(parcel.entries) >= 2
    own_cache("worker")

    def never(*args):
        raise AssertionError("compiled")

    monkeypatch.setattr("anyjoint.codegen.jit.emit", never)
    assert np.array_equal(work(parcel, drawn).columns["last_angle"], job.run(drawn).columns["last_angle"])


def test_a_worker_of_another_processor_compiles_for_itself(own_cache, monkeypatch):
    """Keys name the processor, so code that came along from another one is never asked for."""
    own_cache("driver")
    parcel, drawn, _ = a_shipment()
    own_cache("worker")
    compiled, name = [], "anyjoint.codegen.jit.processor"
    from anyjoint.codegen import jit

    here, emit = jit.processor(), jit.emit
    monkeypatch.setattr("anyjoint.codegen.jit.emit", lambda module: (compiled.append(1), emit(module))[1])
    monkeypatch.setattr("anyjoint.codegen.jit.machine", _machine_of(here))
    monkeypatch.setattr(name, lambda: ("another", here[1]))
    assert work(parcel, drawn).count == 16
    assert compiled


def _machine_of(processor):
    import llvmlite.binding as llvm

    cpu, features = processor
    return lambda: llvm.Target.from_default_triple().create_target_machine(cpu=cpu, features=features, opt=2, jit=True)


def test_a_worker_without_a_cache_works_too(own_cache, monkeypatch):
    own_cache("driver")
    parcel, drawn, job = a_shipment()
    monkeypatch.setenv("ANYJOINT_CACHE", "off")
    assert np.array_equal(work(parcel, drawn).columns["last_angle"], job.run(drawn).columns["last_angle"])


def test_an_entry_is_made_once_by_all_who_want_it(own_cache):
    own_cache("shared")
    made = []

    def make():
        made.append(1)
        time.sleep(0.05)
        return b"code"

    # flock tells open files apart, also those of one process: threads stand for processes here.
    with ThreadPoolExecutor(4) as pool:
        found = [future.result() for future in [pool.submit(cache.once, "k" * 64, make) for _ in range(4)]]
    assert made == [1]
    assert {payload for payload, _ in found} == {b"code"}
    assert sum(stored for _, stored in found) == 3


# -- processes and clusters -----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_processes_give_the_same_bits():
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        found = swept(executor=pool, measure=lambda traj: traj.q[-1, 0])
    assert np.array_equal(found.values, swept().values)


def make_slowly(log):
    """What a worker does that wants an entry of the cache which takes a while to make."""

    def make():
        with open(log, "a", encoding="utf8") as file:
            file.write("made\n")
        time.sleep(2.0)
        return b"code"

    return cache.once("c" * 64, make)


@pytest.mark.slow
def test_processes_of_a_machine_compile_once(tmp_path, own_cache):
    own_cache("shared")
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        [pool.submit(os.getpid) for _ in range(4)][-1].result()  # both are there
        found = [job.result() for job in [pool.submit(make_slowly, tmp_path / "log") for _ in range(2)]]
    assert (tmp_path / "log").read_text() == "made\n"
    assert sorted(found) == [(b"code", False), (b"code", True)]


def suicide(traj):
    """Kills the first process that gets so far, once."""
    flag = os.environ["ANYJOINT_TEST_FLAG"]
    if os.getpid() != int(os.environ["ANYJOINT_TEST_DRIVER"]):
        try:
            os.close(os.open(flag, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            pass
        else:
            os.kill(os.getpid(), signal.SIGKILL)
    return traj.q[-1, 0]


@pytest.mark.slow
def test_a_killed_process_costs_nothing_but_time(tmp_path, monkeypatch):
    monkeypatch.setenv("ANYJOINT_TEST_FLAG", str(tmp_path / "killed"))
    monkeypatch.setenv("ANYJOINT_TEST_DRIVER", str(os.getpid()))
    pool = ProcessPoolExecutor(2, mp_context=get_context("spawn"))
    with pytest.warns(UserWarning, match="run in this process"), pool:
        found = swept(executor=pool, measure=suicide)
    assert (tmp_path / "killed").exists()
    assert np.array_equal(found.values, swept().values)


@pytest.fixture(scope="module")
def cluster():
    from distributed import Client, LocalCluster

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, host="127.0.0.1")
        with made, Client(made) as client:
            yield client


@pytest.mark.slow
def test_a_cluster_gives_the_same_bits(cluster, tmp_path):
    assert is_dask(cluster)
    given = {"n": 300, "measure": lambda traj: traj.q[-1], "duration": 0.2}
    plain, found = swept(**given), swept(executor=cluster, store=tmp_path / "run", **given)
    assert np.array_equal(found.values, plain.values)
    assert found.statistics.columns["value"].mean == plain.statistics.columns["value"].mean


@pytest.mark.slow
def test_a_cluster_that_loses_a_worker_loses_nothing(cluster):
    given = {"n": 2000, "duration": 2.0, "measure": last_angle}
    plain = swept(**given)
    victims = list(cluster.run(os.getpid).values())
    seen = []

    def kill(fraction):
        seen.append(fraction)
        if len(seen) == 3:
            os.kill(victims[0], signal.SIGKILL)

    found = swept(executor=cluster, progress=kill, **given)
    assert victims[0] not in cluster.run(os.getpid).values()
    assert found.complete
    assert not found.failures
    assert len(seen) == 63  # every chunk of 32 runs came once
    assert np.array_equal(found.values, plain.values)


@pytest.mark.slow
def test_the_five_lines_of_the_docs(tmp_path):
    text = (Path(__file__).parents[2] / "docs" / "sweeps.md").read_text(encoding="utf8")
    first = re.search(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    lines = re.search(r"^```\{code-block\} python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    same = '        assert np.array_equal(there["final"], result["final"])\n        print("equal")\n'
    (tmp_path / "script.py").write_text(first[1] + lines[1] + same)
    command = [sys.executable, str(tmp_path / "script.py")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout.endswith("equal\n"), done.stderr


def test_an_executor_that_was_shut_down_is_refused():
    pool = ThreadPoolExecutor(1)
    pool.shutdown()
    with pytest.raises(InputError, match="cannot schedule new futures after shutdown; give one that is open"):
        swept(executor=pool)
