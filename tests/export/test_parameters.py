"""Products by parameters in C and in JavaScript answer what the model does; second ones know what is bent."""

import ctypes
import json
import subprocess

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import joints
from anyjoint.export import Beside
from anyjoint.export.offer import exported

NAMES = ["rod/mass", "rod/com", "rod/tensor", "rod/placement", "arm/joint/pitch", "rod/stiffness", "gravity"]
KINDS = {"vjp": "vjp_forward_dynamics", "hvp": "hvp_forward_dynamics", "jvp": "jvp_forward_dynamics"}


def two():
    """A screw and a universal joint with a spring."""
    mech = aj.Mechanism("two", gravity=(1, 2, -9))
    solid = aj.Inertia(0.7, (0.1, 0.05, -0.4), np.array([[0.2, 0.01, 0.02], [0.01, 0.22, 0.03], [0.02, 0.03, 0.2]]))
    mech.add_body("arm", joint=joints.Helical((0, 1, 1), pitch=0.2), inertia=solid)
    place = aj.Pose.translation(0.1, 0.2, -0.5) @ aj.Pose.rpy(0.3, 0.2, 0.1)
    mech.add_body("rod", "arm", joints.Universal(), place, solid, stiffness=0.3)
    return mech


@pytest.fixture(scope="module")
def asked():
    """A model, products by q and parameters, their arguments, and what the model says about them."""
    model, rng = two().compile(), np.random.default_rng(3)
    point, w, dq = tuple(rng.normal(size=(3, 3))), rng.normal(size=3), rng.normal(size=3)
    wrt = ("q", *NAMES)
    _, gradient = model.vjp("forward_dynamics", point, w, wrt=wrt)
    way = {"q": dq} | {name: rng.normal(size=np.shape(gradient[name])) for name in NAMES}
    rates = model.hvp("forward_dynamics", point, w, way, wrt=wrt)
    a, da = model.jvp("forward_dynamics", point, way)
    changes = [np.ravel(x) for x in way.values()]
    given = {"vjp": [*point, w], "hvp": [*point, w, *changes], "jvp": [*point, *changes]}
    wanted = {
        "vjp": [a, *gradient.values()], "hvp": [a, *gradient.values(), *rates.values()], "jvp": [a, da]
    }  # fmt: skip
    products = [f"{kind} forward_dynamics by {', '.join(wrt)}" for kind in KINDS]
    return model, products, given, {kind: [np.ravel(x) for x in rows] for kind, rows in wanted.items()}


def names_of(model, products):
    """What products are called in code, by kind."""
    found = exported(model, Beside(products=products))
    return {kind: next(name for name in found if name.startswith(start)) for kind, start in KINDS.items()}


def test_c(asked, tmp_path):
    model, products, given, wanted = asked
    model.export("c", tmp_path, "it", products=products)
    library = tmp_path / "it.so"
    names = names_of(model, products)
    sources = [str(path) for path in tmp_path.glob("it_*.c") if path.stem.removeprefix("it_") in names.values()]
    subprocess.run(["gcc", "-std=c99", "-O0", "-shared", "-fPIC", "-o", str(library), *sources, "-lm"], check=True)
    compiled, work = ctypes.CDLL(str(library)), np.full(1_000_000, np.nan)
    for kind, name in names.items():
        outputs = [np.full(x.size, np.nan) for x in wanted[kind]]
        pointers = [ctypes.c_void_p(x.ctypes.data) for x in (*given[kind], *outputs)]
        assert getattr(compiled, f"it_{name}")(*pointers, None, ctypes.c_void_p(work.ctypes.data)) == 0
        check(kind, outputs, wanted[kind])


def test_javascript(asked, tmp_path):
    model, products, given, wanted = asked
    model.export("js", tmp_path, "it", products=products)
    names = names_of(model, products)
    calls = [f"model.{names[kind]}({', '.join(json.dumps(x.tolist()) for x in given[kind])})" for kind in KINDS]
    rows = "Object.values(x).map((y) => [...y])"
    script = f"const model = require('./it.js');\nconsole.log(JSON.stringify([{', '.join(calls)}].map((x) => {rows})));"
    (tmp_path / "ask.js").write_text(script)
    said = subprocess.run(["node", "ask.js"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    for kind, outputs in zip(KINDS, json.loads(said), strict=True):
        check(kind, outputs, wanted[kind])


def check(kind, found, wanted):
    """All rows are equal to rounding."""
    for k, (x, y) in enumerate(zip(found, wanted, strict=True)):
        assert x == pytest.approx(y, rel=1e-11, abs=1e-13 * np.abs(y).max(initial=1.0)), (kind, k)
