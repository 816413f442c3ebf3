"""Every quantity of the list answers in C and in JavaScript what it answers in Python."""

import ctypes
import json
import subprocess

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import forces, joints
from anyjoint.export import Beside
from anyjoint.export.offer import exported
from anyjoint.mechanism import gallery
from anyjoint.stepper import STEPPERS
from tests.export.generated import in_c

WARNINGS = ["-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror"]


def arm():
    """A quaternion base, two angles, a weld and springs."""
    mech = aj.Mechanism("arm 7 \"*/", gravity=(0.3, 0, -9.81))
    base = mech.add_body("base", joint=joints.FreeQuaternion(), inertia=aj.Inertia.box(2.0, 0.1, 0.2, 0.3))
    place, solid = aj.Pose.translation(0, 0, 0.2) @ aj.Pose.rotation_y(0.3), aj.Inertia.box(1.0, 0.1, 0.1, 0.5)
    upper = mech.add_body("upper", base, joints.Universal(), place, solid, stiffness=2.0, damping=0.1)
    mech.add_body("plate", upper, joints.Fixed(), aj.Pose.translation(0, 0, 0.5), aj.Inertia.box(0.3, 0.1, 0.1, 0.1))
    mech.set_start([0.5, 0.5, 0.5, 0.5, 0.1, 0.2, 0.3, 0.4, 0.5])
    return mech


MECHANISMS = {
    "arm": arm,
    "tori": lambda: gallery.torus_chain(6),
    "hinges": lambda: gallery.revolute_chain(45),
    "board": gallery.board_on_spline_surface,
    "tongs": gallery.tongs_with_fish,
    "rock": lambda: _rock(),
    "rolling": lambda: _rolling(),
    "foot": lambda: _foot(),
}


# Solves and products of their answers lose digits, which compilers that fuse otherwise round otherwise.
# 45 hinges have a condition of 1e5.
SOLVED = {
    "forward_dynamics": 1e1, "implicit_acceleration": 1e1, "implicit_correction": 1e1, "inverse_mass_matrix": 1e3,
    "inverse_mass_times": 1e3, "forward_dynamics_derivatives": 1e4,
    "contact_acceleration": 1e4, "step_time_stepping": 1e2,  # a contact is far stiffer than what it touches
    "jvp_energy": 1e1,  # rates of 45 links cancel
}  # fmt: skip
PRODUCTS = ("vjp inverse_dynamics", "jvp energy", "vjp inverse_dynamics by q, gravity", "jvp energy by v, gravity")
STEPS = tuple(name for name, stepper in STEPPERS.items() if not stepper.chooses)
# Small mechanisms are asked for everything that can be exported.
EVERYTHING = {"arm": {"steps": STEPS, "prescribed": [0]}, "foot": {"prescribed": [0]}}  # whose step feels contacts
ROUND = [("base", (0, 0.1, 0)), forces.WrapSphere("upper", (0, 0, 0.2), 0.1), (None, (0.3, 0.3, 1.0))]
EVERYTHING["arm"]["forces"] = [
    forces.Spring("plate", (0, 0, 0.1), None, (1, 1, 1), 20.0, 0.5, 0.3), forces.Cable(ROUND, 200.0, 0.5),
    forces.Muscle([("base", (0.1, 0, 0)), ("plate", (0, 0, 0))], forces.Hill(300.0, 0.5, tendon=0.2), np.cos),
    forces.Drag("upper", 1.0, 2.0, 3.0, 4.0, (1, 1, 0), (0.1, 0.2, 0.3), (1, 2, 3)),
]  # fmt: skip


def _rolling():
    """A ball that rolls on an ellipsoid, near a pole, with an arm and a damper."""
    mech = aj.Mechanism("rolling")
    roll = joints.Rolling(aj.surfaces.Ellipsoid(2.0, 1.5, 1.0), aj.surfaces.Sphere(0.3))
    ball = mech.add_body("ball", joint=roll, inertia=aj.Inertia.sphere(1.0, 0.3), damping=0.1)
    mech.add_body("arm", ball, joints.Revolute((1, 0, 0)), inertia=aj.Inertia.box(0.5, 0.1, 0.1, 0.4))
    mech.set_start([0.3, 1.0, 0.5, 0.45, 0.2, 0.4])
    return mech


def _foot():
    """A leg that presses on the ground, with a stop and dry friction in its knee."""
    mech = aj.Mechanism("foot")
    hip = mech.add_body("hip", joint=joints.Prismatic("z"), inertia=aj.Inertia.sphere(2.0, 0.1))
    knee = joints.Revolute("y", limits=(-1.0, 1.0))
    mech.add_body("shank", hip, knee, inertia=aj.Inertia.sphere(1.0, 0.2), friction=0.3)
    mech.add_contact("shank", (0, 0, -0.4), friction=0.5)
    mech.set_start([0.4 * np.cos(0.3) - 1e-5, 0.3])
    return mech


def _rock():
    mech = aj.Mechanism("rock")
    mech.add_body("rock", placement=aj.Pose.translation(0, 0, 1), inertia=aj.Inertia.sphere(1.0, 1.0))
    return mech


def inputs_of(model, quantity, rng):
    """Random rows, and coordinates of the start."""
    start = model.mechanism.start[0] if model.mechanism.start else model.mechanism.neutral
    rows = []
    for row in quantity.given(model.mechanism):
        shape = row.shape(model.mechanism)
        given = {"q": np.array(start), "q_before": np.array(start), "dt": np.full(1, 1e-3)}
        rows.append(given[row.name] if row.name in given else rng.normal(size=shape))
    return [np.ascontiguousarray(x, dtype=model.dtype) for x in rows]


def answers(program, rows):
    """What Python says, as one list of flat outputs."""
    found = program.split(program(*(x.ravel() for x in rows)))
    return [np.atleast_1d(x).ravel() for x in (found if isinstance(found, tuple) else (found,))]


# gcc takes a minute for the matrices of large mechanisms, which JavaScript checks in a second.
LARGE = ("tori", "hinges", "tongs", "board", "rolling")
CASES = [(name, "float64") for name in MECHANISMS] + [(name, "float32") for name in MECHANISMS]
SLOW = [name in LARGE or (dtype == "float32" and name != "foot") for name, dtype in CASES]


@pytest.mark.parametrize(
    ("name", "dtype"),
    [pytest.param(*case, marks=pytest.mark.slow if slow else ()) for case, slow in zip(CASES, SLOW, strict=True)],
)
def test_the_c_package_answers_as_python_does(name, dtype, tmp_path):
    model, rng = MECHANISMS[name]().compile(dtype=dtype), np.random.default_rng(0)
    beside = {"products": PRODUCTS, **EVERYTHING.get(name, {})} if dtype == "float64" else {}
    model.export("c", tmp_path, "it", **beside)
    library, sources = tmp_path / "it.so", sorted(map(str, tmp_path.glob("it_*.c")))
    fast = ["-O0", "-shared", "-fPIC", "-o", str(library)]
    subprocess.run(["gcc", "-std=c99", *WARNINGS, *fast, *sources, "-lm"], check=True)
    compiled = ctypes.CDLL(str(library))
    work = np.full(2_000_000, np.nan, dtype)  # whatever is there does not matter
    tolerance = 1e-13 if dtype == "float64" else 2e-4
    for called, program in exported(model, Beside(**beside)).items():
        rows = inputs_of(model, program.quantity, rng)
        wanted = answers(program, rows)
        outputs = [np.full(max(x.size, 1), np.nan, dtype) for x in wanted]
        pointers = [ctypes.c_void_p(x.ctypes.data) for x in (*rows, *outputs)]
        status = getattr(compiled, f"it_{called}")(*pointers, None, ctypes.c_void_p(work.ctypes.data))
        assert status == 0, called
        room = SOLVED.get(called, 1.0) * tolerance
        for x, y in zip(outputs, wanted, strict=True):
            size = max(1.0, float(np.abs(y).max(initial=0)))
            assert x[: y.size] == pytest.approx(y, rel=room, abs=room * size), called


def test_batches_numbers_and_trouble_in_c(tmp_path):
    model, rng = arm().compile(), np.random.default_rng(1)
    model.export("c", tmp_path, prefix="it")
    library = tmp_path / "it.so"
    source = tmp_path / "it_forward_dynamics.c"
    subprocess.run(["gcc", "-std=c99", "-O0", "-shared", "-fPIC", "-o", str(library), str(source), "-lm"], check=True)
    function = ctypes.CDLL(str(library)).it_forward_dynamics_batch
    q = np.tile(model.mechanism.start[0], (3, 1))
    v, tau = rng.normal(size=(2, 3, model.nv))
    a, work = np.zeros((3, model.nv)), np.zeros(20_000)

    def call(numbers):
        rows = [ctypes.c_void_p(x.ctypes.data) for x in (q, v, tau, a)]
        given = None if numbers is None else ctypes.c_void_p(numbers.ctypes.data)
        return function(ctypes.c_size_t(3), *rows, given, ctypes.c_void_p(work.ctypes.data))

    assert call(None) == 0
    assert a == pytest.approx(model.forward_dynamics(q, v, tau), rel=1e-12)
    model.parameters["upper/mass"] = 2.5
    assert call(model.program("forward_dynamics").numbers) == 0
    assert a == pytest.approx(model.forward_dynamics(q, v, tau), rel=1e-12)
    v[1, 0] = np.nan
    assert call(None) == 1


def test_c_makes_numbers_of_parameters_by_name(tmp_path):
    values = {"plate/mass": 0.9, "gravity": (0.0, 1.0, -3.0), "upper/stiffness": (1.0, 3.0)}
    model = arm().compile(vary=list(values))
    model.export("c", tmp_path, prefix="it", products=["jvp energy"])
    header = (tmp_path / "it.h").read_text()
    assert all(line in header for line in ("IT_P_PLATE_MASS = 0,", "IT_P_GRAVITY = 1,", "IT_P_UPPER_STIFFNESS = 4,"))
    assert "it_jvp_energy_numbers" not in header  # products have numbers of their own
    library = tmp_path / "it.so"
    source = tmp_path / "it_forward_dynamics.c"
    command = ["gcc", "-std=c99", "-O0", *WARNINGS, "-shared", "-fPIC", "-o", str(library), str(source), "-lm"]
    subprocess.run(command, check=True)
    function = ctypes.CDLL(str(library)).it_forward_dynamics_numbers
    row, made = np.hstack(list(values.values())), np.empty(len(model.program("forward_dynamics").numbers))

    def call(given):
        return function(given and ctypes.c_void_p(given), ctypes.c_void_p(made.ctypes.data))

    assert call(None) == 0
    assert np.array_equal(made, model.program("forward_dynamics").numbers)
    assert call(row.ctypes.data) == 0
    for name, value in values.items():
        model.parameters[name] = value
    assert made == pytest.approx(model.program("forward_dynamics").numbers, rel=1e-14, abs=1e-15)
    row[0] = np.nan
    assert call(row.ctypes.data) == 1


# Without -O gcc has warned of the arm already; what it sees of the flow of values alone, it sees in any package.
@pytest.mark.parametrize(
    ("make", "compiler"),
    [
        (_foot, ["gcc", "-std=c99", "-O1"]),
        pytest.param(arm, ["gcc", "-std=c99", "-O1"], marks=pytest.mark.slow),
        pytest.param(arm, ["g++", "-x", "c++"], marks=pytest.mark.slow),
    ],
)
def test_the_package_and_its_example_compile_without_a_warning(make, compiler, tmp_path):
    model = make().compile()
    model.export("c", tmp_path)
    header = next(tmp_path.glob("*.h")).read_text()
    assert 'extern "C"' in header
    sources = sorted(map(str, tmp_path.glob("*.c")))
    program = tmp_path / "example"
    subprocess.run([*compiler, *WARNINGS, *sources, "-lm", "-o", str(program)], check=True)
    said = subprocess.run([str(program)], capture_output=True, text=True, check=True).stdout
    q, v = model.mechanism.start[0], np.zeros(model.nv)
    lines = [float(line.split(": ")[1]) for line in said.splitlines()]
    assert lines[:-1] == pytest.approx(model.forward_dynamics(q, v).tolist(), rel=1e-12)
    assert lines[-1] == pytest.approx(sum(model.energy(q, v)), rel=1e-13)


BOTH = """
#include <stdio.h>
#include "one.h"
#include "two.h"

int main(void)
{
    static const double q1[ONE_NQ] = {START}, v1[ONE_NV] = {0};
    static const float q2[TWO_NQ] = {0}, v2[TWO_NV] = {0};
    static double work1[ONE_WORK], a[ONE_NV], tau1[ONE_NV];
    static float work2[TWO_WORK], b[TWO_NV], tau2[TWO_NV];
    int bad = one_forward_dynamics(q1, v1, tau1, a, NULL, work1);
    bad |= two_forward_dynamics(q2, v2, tau2, b, NULL, work2);
    for (int i = 0; i < ONE_NV; i++) printf("%.17g\\n", a[i]);
    for (int i = 0; i < TWO_NV; i++) printf("%.17g\\n", (double)b[i]);
    return bad;
}
"""


@pytest.mark.parametrize("compiler", [["gcc", "-std=c99"], ["g++", "-x", "c++"]])
def test_two_models_in_one_program(compiler, tmp_path):
    """One in double, one in single precision: every name has its prefix, and the headers get along."""
    one, two = arm().compile(), aj.gallery.revolute_chain(3).compile(dtype="float32")
    for prefix, model in (("one", one), ("two", two)):
        model.export("c", tmp_path / prefix, prefix=prefix)
    q = one.mechanism.start[0]
    (tmp_path / "both.c").write_text(BOTH.replace("START", ", ".join(map(repr, q.tolist()))))
    sources = [str(tmp_path / name) for name in ("both.c", "one/one_forward_dynamics.c", "two/two_forward_dynamics.c")]
    headers = [f"-I{tmp_path / prefix}" for prefix in ("one", "two")]
    program = str(tmp_path / "both")
    subprocess.run([*compiler, *WARNINGS, *headers, *sources, "-lm", "-o", program], check=True)
    said = [float(x) for x in subprocess.run([program], capture_output=True, text=True, check=True).stdout.split()]
    assert said[: one.nv] == pytest.approx(one.forward_dynamics(q, np.zeros(one.nv)).tolist(), rel=1e-12)
    assert said[one.nv :] == pytest.approx(two.forward_dynamics(np.zeros(3), np.zeros(3)).tolist(), rel=1e-5)


LONG = {"tori", "tongs", "hinges", "rolling", "board"}


@pytest.mark.parametrize("name", [pytest.param(x, marks=[pytest.mark.slow] * (x in LONG)) for x in MECHANISMS])
def test_javascript_answers_as_python_does(name, tmp_path):
    model, rng = MECHANISMS[name]().compile(), np.random.default_rng(0)
    beside = {"products": PRODUCTS, **EVERYTHING.get(name, {})}
    model.export("js", tmp_path, "it", **beside)
    calls, wanted = [], []
    for called, program in exported(model, Beside(**beside)).items():
        rows = inputs_of(model, program.quantity, rng)
        wanted.append(np.concatenate([*answers(program, rows), np.zeros(0)]))
        arguments = ", ".join(json.dumps(x.ravel().tolist()) for x in rows)
        calls.append(f"model.{called}({arguments})")
    flat = "const flat = (x) => x instanceof Float64Array ? [...x] : typeof x === 'number' ? [x] : "
    flat += "Object.values(x).flatMap(flat);"
    script = f"const model = require('./it.js');\n{flat}\nconsole.log(JSON.stringify([{', '.join(calls)}].map(flat)));"
    (tmp_path / "ask.js").write_text(script)
    said = subprocess.run(["node", "ask.js"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    for called, x, y in zip(exported(model, Beside(**beside)), json.loads(said), wanted, strict=True):
        size = max(1.0, np.abs(y).max(initial=0.0))
        assert x[: len(y)] == pytest.approx(y.tolist(), rel=1e-12, abs=1e-13 * SOLVED.get(called, 1.0) * size), called


def test_bad_input(tmp_path):
    model = _rock().compile()
    with pytest.raises(aj.InputError, match=r"language 'cc' is unknown \(did you mean 'c'\?\)"):
        model.export("cc", tmp_path)
    with pytest.raises(aj.InputError, match=r"no step 'bdf3' \(did you mean 'bdf2'\?\); choose among bdf1, "):
        model.export("c", tmp_path, steps=["bdf3"])
    with pytest.raises(aj.InputError, match="hybrid_dynamics: 'rock' has no coordinates to prescribe"):
        model.export("c", tmp_path, prescribed=["rock"])
    with pytest.raises(aj.InputError, match="prefix 'two words' must be a name"):
        model.export("c", tmp_path, prefix="two words")
    (tmp_path / "file").write_text("")
    with pytest.raises(aj.AnyjointError, match="cannot write to"):
        model.export("c", tmp_path / "file" / "folder")


def test_cmake_builds_it(tmp_path):
    _foot().compile().export("c", tmp_path, prefix="leg")
    subprocess.run(["cmake", "-S", ".", "-B", "build"], cwd=tmp_path, check=True, capture_output=True)
    subprocess.run(["cmake", "--build", "build"], cwd=tmp_path, check=True, capture_output=True)
    assert (tmp_path / "build" / "leg_example").exists()
    assert "-lleg" in (tmp_path / "build" / "leg.pc").read_text()


def test_products_by_parameters_have_names_of_their_own_and_no_word_of_a_users(tmp_path):
    mech = aj.Mechanism("names")
    bodies = ["a b", "a_b", "*/ int evil; /*"]
    for name in bodies:
        mech.add_body(name, joint=joints.Revolute(), inertia=aj.Inertia.box(1.0, 0.1, 0.2, 0.3))
    every = ", ".join(f"{name}/{what}" for name in bodies for what in ("mass", "com", "tensor", "placement"))
    products = [f"vjp inverse_dynamics by {wanted}" for wanted in ("a b/mass", "a_b/mass", every, f"q, {every}")]
    model = mech.compile()
    found = [name for name in exported(model, Beside(products=products)) if name.startswith("vjp")]
    assert len(found) == len(products)
    assert max(map(len, found)) < 100  # they are names of files, too
    model.export("c", tmp_path, products=products)
    assert "int evil" not in (tmp_path / "names.h").read_text()
    subprocess.run(["gcc", "-std=c99", *WARNINGS, "-fsyntax-only", "-x", "c", tmp_path / "names.h"], check=True)


@pytest.mark.parametrize("quantity", ["mass_matrix", "inverse_mass_matrix", "regressor"])
def test_matrices_in_c_have_zeros_between_trees(quantity, tmp_path):
    model, rng = gallery.beads_on_wires().compile(form="kernels"), np.random.default_rng(0)
    program = model.program(quantity)
    rows = inputs_of(model, program.quantity, rng)
    want = model.evaluate(quantity, tuple(rows)).ravel()
    found = in_c(program, rows, program.size, tmp_path)
    np.testing.assert_allclose(found, want, rtol=0, atol=1e-12 * np.abs(want).max())
