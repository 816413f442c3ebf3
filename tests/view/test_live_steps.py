"""Steps of live pages, in node: those of runs by every method, also where somebody changes the state or what pushes."""

from functools import cache

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import joints
from anyjoint.quantity.step import LOOKING_BACK
from anyjoint.stepper import STEPPERS
from anyjoint.view import dynamics_script
from anyjoint.view.live import live_scene, model_info
from tests.constraints.kinds import KINDS
from tests.export.generated import node

DT = 0.01
REMEMBER = [name for name, stepper in STEPPERS.items() if stepper.adaptive or stepper.remembers]
CHOOSE = [name for name, stepper in STEPPERS.items() if stepper.adaptive]
SOLID = aj.Inertia(1.0, com=(0.1, 0.05, -0.3), tensor=np.diag([0.1, 0.2, 0.25]))


def chain(gravity=(0, 0, -9.81), damping=0.0):
    """Two hinges."""
    mech = aj.Mechanism("chain", gravity=gravity)
    mech.add_body("upper", joint=joints.Revolute("y"), inertia=SOLID, damping=damping)
    mech.add_body("lower", "upper", joints.Revolute("x"), aj.Pose.translation(0, 0, -1), SOLID, damping=damping)
    mech.set_start([1.0, 0.5], [0.0, 2.0])
    return mech


def turning():
    """A quaternion, and a rotation vector that changes its chart on the way."""
    mech = aj.Mechanism("turning")
    mech.add_body("ball", joint=joints.SphericalQuaternion(), inertia=SOLID)
    mech.add_body("top", "ball", joints.Spherical(), aj.Pose.translation(0, 0, -1), SOLID)
    mech.set_start([1, 0, 0, 0, 2.0, 0.5, 0.3], [0.5, 0, 1, 3, 1, 0.5])
    return mech


def held(kind):
    mech, guess = KINDS[kind]()
    mech.set_start(*mech.compile().assemble(guess, np.full(mech.nv, 0.3)))
    return mech


CASES = {"chain": chain, "turning": turning, "loop": lambda: held("loop"), "prescribed": lambda: held("prescribed")}


@pytest.fixture(scope="module")
def models():
    return {name: make().compile() for name, make in CASES.items()}


def said(model, method, expression, folder, **options):
    """What a script says of the motion from the start: go(n) takes n steps and answers with the state."""
    q, v = (x.tolist() for x in model.mechanism.start)
    script = f"""const d = makeDynamics(), q = Float64Array.from({q}), v = Float64Array.from({v});
const extra = {{ gravity: {list(model.mechanism.gravity)}, wrenches: null, damping: 0, time: 0 }};
let steps = 0;
const set = (x, y, k = 0) => {{ q.set(x); v.set(y); steps = k; }};
const reset = () => set({q}, {v});
const go = (n) => {{
  for (; n > 0; n--, steps++) d.step(q, v, Object.assign(extra, {{ time: steps * {DT} }}), {DT});
  return [...q, ...v];
}};
console.log(JSON.stringify({expression}));"""
    return node(text(model, method, **options) + script, folder)


@cache
def text(model, method, **options):
    return dynamics_script(model, STEPPERS[method], dt=DT, **options)


def ran(model, method, start, steps, **options):
    """The same by a run, which goes on a little, since the last step of one ends where it ends."""
    q, v = np.split(np.asarray(start, dtype=float), [model.nq])
    traj = model.simulate(q, v, duration=(steps + 50) * DT, dt=DT, method=method, **options)
    return np.concatenate([traj.q[steps], traj.v[steps]])


MOVING = [("chain", name) for name in STEPPERS] + [(k, name) for k in ("turning", "loop") for name in REMEMBER]


@pytest.mark.parametrize(("case", "method"), [*MOVING, ("prescribed", "dopri5")])
def test_pages_move_as_runs_do(case, method, models, tmp_path):
    model = models[case]
    *found, kinetic, potential = said(model, method, "[...go(100), ...d.energy(q, v, extra.gravity)]", tmp_path)
    assert found == pytest.approx(ran(model, method, np.concatenate(model.mechanism.start), 100), abs=1e-10)
    energies = [float(x) for x in model.energy(*np.split(np.array(found), [model.nq]))]
    assert [kinetic, potential] == pytest.approx(energies, rel=1e-12)
    if case == "chain" and method == "dopri5":
        assert kinetic + potential == pytest.approx(sum(model.energy(*model.mechanism.start)), rel=1e-7)


def test_tolerances_are_those_of_runs(models, tmp_path):
    model, loose = models["chain"], {"rtol": 1e-3, "atol": 1e-4}
    found = said(model, "dopri5", "go(50)", tmp_path, **loose)
    start = np.concatenate(model.mechanism.start)
    assert found == pytest.approx(ran(model, "dopri5", start, 50, **loose), abs=1e-12)
    assert np.abs(found - ran(model, "dopri5", start, 50)).max() > 1e-6
    about = live_scene(model_info(model.mechanism, method="dopri5", **loose)).info["Stepper"]
    assert about == "dopri5, rtol 0.001, atol 0.0001, shown every 0.001 s"
    for given, words in (({"rtol": -1}, "rtol=-1; expected"), ({"atol": 0}, "atol=0 cannot be met")):
        with pytest.raises(aj.InputError, match=words):
            model.to_html(tmp_path / "page.html", method="dopri5", **given)


@pytest.mark.parametrize("method", REMEMBER)
def test_another_state_or_time_begins_a_run(method, models, tmp_path):
    model = models["chain"]
    moves = "go(40), (reset(), go(40)), (set([q[0] + 0.3, q[1]], v, steps), [...q, ...v]), go(30), (steps = 7, go(20))"
    first, again, changed, after, back = said(model, method, f"[{moves}]", tmp_path)
    assert first == again  # to the last bit
    assert after == pytest.approx(ran(model, method, changed, 30), abs=1e-11)
    assert back == pytest.approx(ran(model, method, after, 20), abs=1e-11)


@pytest.mark.parametrize("method", CHOOSE)
def test_other_forces_act_from_what_is_shown_on(method, models, tmp_path):
    """Steps have been taken beyond it, under forces that are no more."""
    change = "Object.assign(extra, { gravity: [1, 0, -3], damping: 0.5 })"
    before, after = said(models["chain"], method, f"[go(30), ({change}, go(30))]", tmp_path)
    other = chain((1, 0, -3), 0.5).compile()
    assert after == pytest.approx(ran(other, method, before, 30), abs=1e-10)


def test_steps_that_look_back_do_so_under_other_forces(models, tmp_path):
    change = "Object.assign(extra, { gravity: [1, 0, -3], damping: 0.5 })"
    *states, after = (np.split(np.array(x), 2) for x in said(
        models["chain"], "bdf2", f"[go(29), go(1), ({change}, go(1))]", tmp_path
    ))  # fmt: skip
    program = chain((1, 0, -3), 0.5).compile().program(LOOKING_BACK["bdf2"])
    expected = program(*states[1], np.zeros(2), np.array([DT]), *states[0])
    assert np.concatenate(after) == pytest.approx(expected, abs=1e-11)


@pytest.mark.parametrize("method", CHOOSE)
def test_steps_that_break_down_leave_no_numbers(method, models, tmp_path):
    usual = list(models["chain"].mechanism.gravity)
    moves = f"[go(20), (extra.gravity = [0, 0, 1e300], go(1)), (extra.gravity = {usual}, reset(), go(20))]"
    first, broken, again = said(models["chain"], method, moves, tmp_path)
    assert broken == [None] * 4  # NaN in JSON
    assert first == again


def test_pages_choose_a_method_as_runs_do(models, tmp_path):
    model = models["chain"]
    text = model.to_html(tmp_path / "page.html", method="auto").read_text()
    assert '"Stepper":"rk4, 0.002 s"' in text.replace('": "', '":"')
    with pytest.raises(aj.InputError, match=r"method='dopri4' is unknown.*choose one of .*dopri5"):
        model.to_html(tmp_path / "page.html", method="dopri4")
