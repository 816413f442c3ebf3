"""`anyjoint sweep` as a user types it."""

import json
import signal
from pathlib import Path

import numpy as np
import pytest

import anyjoint as aj
from anyjoint.cli.target import resolve
from anyjoint.sweep.keeper import Keeper

PENDULUM = """
import anyjoint as aj

DURATION, DT = 0.05, 1e-3

def build(length=1.0):
    mech = aj.Mechanism("pendulum")
    hinge, mass = aj.joints.Revolute(axis=(0, 1, 0)), aj.Inertia.point(1.0, (0, 0, -length))
    bob = mech.add_body("bob", joint=hinge, inertia=mass)
    mech.add_body("tail", bob, hinge, aj.Pose.translation(0, 0, -length), mass)
    mech.set_start([0.5, 0.5])
    return mech
"""


@pytest.fixture
def pendulum(tmp_path: Path) -> str:
    path = tmp_path / "pendulum.py"
    path.write_text(PENDULUM)
    return f"{path}:build"


def test_it_sweeps_and_writes_what_was_asked_for(anyjoint, pendulum: str, tmp_path: Path) -> None:
    csv, plot, store = (tmp_path / name for name in ("rows.csv", "plot.png", "run.zarr"))
    files = ["--csv", str(csv), "--plot", str(plot), "--store", str(store)]
    given = [pendulum, "--set", "bob/mass=uniform(1, 2)", "--set", "q0=normal(0.5, std=0.1)", "--set", "length=2.0"]
    code, out, err = anyjoint(
        "sweep", *given, "-n", "50", "--measure", "final", "--measure", "energy_drift", "--seed", "4", *files
    )
    assert code == 0, err
    for word in ("50 of 50, 0 failed", "runs per second", "final bob/angle", str(store)):
        assert "".join(word.split()) in "".join(out.split())
    assert plot.stat().st_size > 10_000
    rows = csv.read_text().splitlines()
    assert len(rows) == 51
    mech = resolve(pendulum, ["length=2.0"]).mechanism
    space = {"bob/mass": aj.uniform(1, 2), "q0": aj.normal(0.5, 0.1)}
    same = aj.sweep(mech.compile(), space, 50, duration=0.05, seed=4)
    assert float(rows[1].split(",")[4]) == same.values[0, 0]
    code, out, err = anyjoint(
        "sweep", *given, "-n", "50", "--measure", "final", "--measure", "energy_drift", "--seed", "5", *files
    )
    assert code == 1
    assert "another seed" in err


def test_json_and_grids_and_fixed_parameters(anyjoint, pendulum: str) -> None:
    given = [pendulum, "--set", "v0=grid([[0, 0], [1, 0], [1e200, 0]])", "--set", "bob/mass=2.0", "--json"]
    code, out, err = anyjoint("sweep", *given, "--duration", "0.01", "--dt", "0.001", "--method", "semi-implicit-euler")
    assert code == 0, err
    facts = json.loads(out)
    assert (facts["runs"], facts["failed"], facts["complete"]) == (3, 1, True)
    assert np.shape(facts["columns"]["final"]["mean"]) == (4,)
    assert "warning: run 2: " in err


def test_an_interruption_is_said_and_gone_on_from(anyjoint, pendulum: str, tmp_path: Path, monkeypatch) -> None:
    given = [pendulum, "--set", "bob/mass=uniform(1, 2)", "-n", "60", "--json", "--store", str(tmp_path / "run")]
    take = Keeper.take

    def interrupted(self, number, rows) -> None:
        if self.done:
            signal.raise_signal(signal.SIGINT)
        take(self, number, rows)

    with monkeypatch.context() as patch:
        patch.setattr(Keeper, "take", interrupted)
        code, out, err = anyjoint("sweep", *given)
    assert code == 1
    assert "the same command goes on from the store" in err
    assert 0 < json.loads(out)["runs"] < 60
    code, out, _ = anyjoint("sweep", *given)
    assert code == 0
    assert json.loads(out)["runs"] == 60


BAD = {
    "nothing": ([], "nothing varies", 2),
    "form": (["--set", "bob/mass"], "expected NAME=DISTRIBUTION", 2),
    "distribution": (["--set", "bob/mass=unform(1,2)"], "is no distribution; choose one of uniform", 2),
    "arguments": (["--set", "bob/mass=uniform(1)"], "--set bob/mass=uniform(1)", 2),
    "code": (["--set", "bob/mass=uniform(1,__import__('os'))"], "expected numbers or lists of them", 2),
    "twice": (["--set", "bob/mass=uniform(1,2)", "--set", "bob/mass=3"], "bob/mass is set twice", 2),
    "reversed": (["--set", "bob/mass=uniform(2,1)"], "lower end is above", 2),
    "parameter": (["--set", "bob/mas=uniform(1,2)", "-n", "4"], "did you mean 'bob/mass'", 1),
    "value": (["--set", "bob/mass=heavy"], "expected a number", 2),
    "plot": (["--set", "bob/mass=uniform(1,2)", "--plot", "plot.doc"], "ends in .png or .svg or .pdf", 2),
    "folder": (["--set", "bob/mass=uniform(1,2)", "--csv", "none/rows.csv"], "there is no folder none", 1),
    "count": (["--set", "bob/mass=uniform(1,2)", "-n", "0"], "n=0", 1),
    "measure": (["--set", "bob/mass=uniform(1,2)", "-n", "4", "--measure", "finale"], "did you mean 'final'", 1),
}


@pytest.mark.parametrize("case", BAD)
def test_mistakes_are_said(case: str, anyjoint, pendulum: str) -> None:
    given, words, expected = BAD[case]
    code, _, err = anyjoint("sweep", pendulum, *given)
    assert words in " ".join(err.split())
    assert code == expected


@pytest.mark.slow
def test_a_cluster_that_is_not_there_is_said(anyjoint, pendulum: str) -> None:
    code, _, err = anyjoint("sweep", pendulum, "--set", "bob/mass=uniform(1,2)", "-n", "4", "--cluster", "tcp://127.0.0.1:9")
    assert code == 1
    assert "no scheduler answers" in err


@pytest.mark.slow
def test_a_cluster_gives_the_same(anyjoint, pendulum: str) -> None:
    from distributed import LocalCluster

    given = [pendulum, "--set", "bob/mass=uniform(1,2)", "-n", "40", "--json"]
    with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None, host="127.0.0.1") as cluster:
        code, out, err = anyjoint("sweep", *given, "--cluster", cluster.scheduler_address)
    assert code == 0, err
    _, here, _ = anyjoint("sweep", *given)
    assert json.loads(out)["columns"] == json.loads(here)["columns"]
