"""The walk-throughs of CONTRIBUTING, done under other names in a copy of the sources: nothing else is touched."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
GUIDE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf8")
SCRIPT = """
import json, sys
import numpy as np
sys.path.insert(0, sys.argv[1])  # the generators of the documentation pages
import anyjoint as aj
from anyjoint.export.c import c_package
from anyjoint.export.javascript import javascript_module
from anyjoint.joints import SphericalQuaternion
from anyjoint.joints.knuckle import Knuckle
from pages.quantities import page

def ball(joint):
    mech = aj.Mechanism("ball")
    mech.add_body("bob", joint=joint, inertia=aj.Inertia(2.0, (0.1, 0.0, -0.4), np.diag([0.02, 0.03, 0.04])))
    return mech.compile()

old, new = ball(SphericalQuaternion()), ball(Knuckle())
q, v, g = [0.5, 0.5, -0.5, 0.5], [0.3, -0.2, 0.4], [1.0, 2.0, 3.0]
header, script = c_package(new, "it")["it.h"], javascript_module(new, "it")["it.js"]
runs = [model.simulate(q0=q, v0=v, duration=0.1, dt=1e-2, method=m).q.tolist()
        for model, m in ((old, "semi-implicit-euler"), (new, "plain-euler"))]
steps = [np.concatenate(model.step(q, v, dt=1e-2, method=m)).tolist()
         for model, m in ((old, "semi-implicit-euler"), (new, "plain-euler"))]
print(json.dumps({
    "joint": [old.forward_dynamics(q, v).tolist(), new.forward_dynamics(q, v).tolist()],
    "method": [old.weight_forces(q, g).tolist(), new.pull_forces(q, g).tolist()],
    "count": [old.op_count("weight_forces").total, new.op_count("pull_forces").total],
    "help": "uniform field" in type(new).pull_forces.__doc__,
    "c": "int it_pull_forces(" in header and "int it_step_plain_euler(" in header,
    "js": "model.pull_forces = " in script and "model.step_plain_euler = " in script,
    "docs": "`pull_forces(q, field)`" in page(None, None),
    "runs": runs, "steps": steps,
}))
"""


@pytest.fixture(scope="module")
def grown(tmp_path_factory):
    """A copy of the sources with a joint, an algorithm and a stepper more, and what it answers."""
    source = tmp_path_factory.mktemp("copy") / "src"
    shutil.copytree(ROOT / "src", source, ignore=shutil.ignore_patterns("__pycache__", "static"))
    package = source / "anyjoint"
    touched = {
        "joint": [again(package, "joints/spherical_quaternion.py", "joints/knuckle.py", SphericalQuaternion="Knuckle")],
        "algorithm": [
            again(package, "dynamics/weight.py", "dynamics/pull.py", WEIGHT="PULL", weight="pull", g="field"),
            again(
                package, "quantity/answers/weight_forces.py", "quantity/answers/pull_forces.py",
                WEIGHT="PULL", weight="pull", weight_forces="pull_forces", WEIGHT_FORCES="PULL_FORCES", g="field",
            ),
        ],
        "stepper": [
            again(
                package, "stepper/methods/semi_implicit_euler.py", "stepper/methods/plain_euler.py",
                SEMI_IMPLICIT_EULER="PLAIN_EULER", **{"semi-implicit-euler": "plain-euler"},
            )
        ],
    }  # fmt: skip
    environment = {**os.environ, "PYTHONPATH": str(source)}
    command = [sys.executable, "-c", SCRIPT, str(ROOT / "docs")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return touched, json.loads(done.stdout)


def again(package, example, file, **names):
    """The example of the guide as a new file, under other names."""
    text = (package / example).read_text(encoding="utf8")
    for old, new in names.items():
        text = re.sub(rf"\b{old}\b", new, text)
    (package / file).write_text(text, encoding="utf8")
    return file


@pytest.mark.parametrize(
    ("what", "title"),
    [("joint", "With a Jacobian of its own"), ("algorithm", "an algorithm"), ("stepper", "a stepper")],
)
def test_the_guide_says_how_many_files_are_touched(grown, what, title):
    stated = re.search(rf"\*{title}\*+ \(files: (\d)\)", GUIDE)
    assert stated, title
    assert len(grown[0][what]) == int(stated.group(1))


@pytest.mark.parametrize("what", ["joint", "method", "count", "runs", "steps"])
def test_what_is_added_works_as_the_example_does(grown, what):
    example, added = grown[1][what]
    assert added == example


@pytest.mark.parametrize("where", ["help", "c", "js", "docs"])
def test_what_is_added_is_found_everywhere(grown, where):
    assert grown[1][where]
