"""Robots that were loaded, taken away as C and JavaScript, beside Pinocchio."""

import ctypes
import json
import subprocess

import numpy as np
import pytest

import anyjoint as aj
from anyjoint.load.oracle.pin import Oracle
from load.robots import ZOO_FOR_PINOCCHIO

UNDAMPED = ZOO_FOR_PINOCCHIO.replace('<dynamics damping="0.2"/>', "").replace('<dynamics damping="0.4"/>', "")


def by_c(model, folder, name, *rows):
    library, source = folder / f"{name}.so", folder / f"it_{name}.c"
    subprocess.run(["gcc", "-std=c99", "-O0", "-shared", "-fPIC", "-o", str(library), str(source), "-lm"], check=True)
    found, work = np.zeros(model.nv), np.zeros(100_000)
    pointers = [ctypes.c_void_p(np.ascontiguousarray(x).ctypes.data) for x in (*rows, found)]
    assert ctypes.CDLL(str(library))[f"it_{name}"](*pointers, None, ctypes.c_void_p(work.ctypes.data)) == 0
    return found


def by_javascript(model, folder, name, *rows):
    arguments = ", ".join(json.dumps(x.tolist()) for x in rows)
    ask = f"console.log(JSON.stringify([...require('./it.js').{name}({arguments})]))"
    return json.loads(subprocess.run(["node", "-e", ask], cwd=folder, capture_output=True, check=True).stdout)


@pytest.mark.parametrize(("language", "ask"), [("c", by_c), ("js", by_javascript)])
def test_exports_are_pinocchios(tmp_path, language, ask):
    """Every type of joint but planar ones, among them followers with offsets."""
    (tmp_path / "bot.urdf").write_text(UNDAMPED)
    mech = aj.load(tmp_path / "bot.urdf")
    model, oracle = mech.compile(), Oracle(UNDAMPED, mech)
    q, v, a = oracle.state(np.random.default_rng(0))
    tau = oracle.inverse_dynamics(v, a)
    model.export(language, tmp_path, "it")
    assert ask(model, tmp_path, "inverse_dynamics", q, v, a) == pytest.approx(tau, rel=1e-12, abs=1e-12)
    assert ask(model, tmp_path, "forward_dynamics", q, v, tau) == pytest.approx(a, rel=1e-9, abs=1e-9)
