"""Generated JavaScript dynamics in a real browser agree with the compiled model, step by step."""

import copy

import numpy as np
import pytest

from anyjoint import forces, joints, load
from anyjoint.errors import InputError
from anyjoint.geometry import surfaces
from anyjoint.mechanism import Inertia, Mechanism, gallery
from anyjoint.mechanism.shapes import Sphere
from anyjoint.model import compile_model
from anyjoint.spatial import Pose
from anyjoint.view import dynamics_script, model_info, model_page
from load.robots import ZOO
from tests.constraints.kinds import KINDS
from tests.view.stand_in import FloatModel, double_pendulum

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def chromium(sized):
    return sized(320, 200)


def mixed():
    """Quaternions, charts, welds and springs in one tree."""
    mech = Mechanism("mixed \"</script>'")
    inertia = Inertia(1.0, com=(0.1, 0.2, -0.3), tensor=np.diag([0.1, 0.2, 0.25]))
    down = Pose.translation(0, 0, -1)
    first = mech.add_body("first", joint=joints.SphericalQuaternion(), inertia=inertia, stiffness=3.0)
    second = mech.add_body("second", first, joints.Spherical(), down, inertia, stiffness=[1.0, 2.0, 3.0])
    welded = mech.add_body("welded", second, joints.Fixed(), down @ Pose.rotation_x(0.4), inertia)
    mech.add_body("last", welded, joints.Revolute(axis=(0, 1, 0)), down, inertia, stiffness=2.0, rest=0.3)
    q = np.array([0.9, 0.1, -0.2, 0.3, 0.5, -0.4, 0.2, 0.7])
    q[:4] /= np.linalg.norm(q[:4])
    mech.start = (q, np.array([0.3, -0.2, 0.5, 0.1, 0.4, -0.3, 1.0]))
    return mech


def rk4(mech, model, q, v, dt, steps):
    """The page's stepper, in Python."""

    def rate(q, v):
        qdot = [float(x) for b in mech.bodies for x in b.joint.rate(list(q[b.q]), list(v[b.v]))]
        return np.array(qdot), model.forward_dynamics(q, v)

    for _ in range(steps):
        k = [rate(q, v)]
        for h in (dt / 2, dt / 2, dt):
            k.append(rate(q + h * k[-1][0], v + h * k[-1][1]))
        q, v = (x + dt / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]) for i, x in enumerate((q, v)))
        for b in mech.bodies:
            rewritten = b.joint.chart(list(q[b.q]), list(v[b.v])) if b.joint.nq else None
            if rewritten is not None:
                q[b.q], v[b.v] = ([float(x) for x in part] for part in rewritten)
    return q, v


def rolling():
    """An ellipsoid that rolls on another, over poles, and a hinge on it."""
    mech = Mechanism("rolling")
    roll = joints.Rolling(surfaces.Ellipsoid(1.0, 0.8, 0.6), surfaces.Ellipsoid(0.3, 0.25, 0.2))
    inertia = Inertia(1.0, com=(0.02, 0.03, -0.05), tensor=np.diag([0.1, 0.2, 0.25]))
    egg = mech.add_body("egg", joint=roll, inertia=inertia)
    mech.add_body("arm", egg, joints.Revolute(axis=(0, 1, 0)), Pose.translation(0, 0, 0.3), inertia)
    mech.start = (np.array([0.3, 1.0, 0.5, 0.53, 0.2, 0.4]), np.array([3.0, -4.0, 1.0, 0.5]))
    return mech


@pytest.fixture(scope="module", params=["mixed", "torus chain", "rolling"])
def case(request):
    mech = {"mixed": mixed, "torus chain": lambda: gallery.torus_chain(20), "rolling": rolling}[request.param]()
    return mech, compile_model(mech)


@pytest.fixture(scope="module")
def opened(case, chromium, tmp_path_factory):
    """The page of a case, opened once: writing and drawing it take longer than what is tested."""
    path = model_page(case[1], tmp_path_factory.mktemp("live") / "live.html", dt=2e-3)
    chromium.messages.clear()
    chromium.open(path, "play=0")
    return chromium


@pytest.fixture
def page(opened):
    """The page at its start."""
    opened.evaluate("anyjoint.source.reset()")
    return opened


def test_a_hundred_steps_agree_with_python(case, page):
    mech, model = case
    page.evaluate("anyjoint.source.advance(100)")
    seen = page.evaluate("[[...anyjoint.source.motion.q], [...anyjoint.source.motion.v]]")
    for x, y in zip(seen, rk4(mech, model, *mech.start, 2e-3, 100), strict=True):
        assert np.abs(np.array(x) - y).max() < 1e-9
    assert not page.messages


def test_energy_is_kept_for_ten_seconds(case, page):
    before = page.evaluate("anyjoint.source.motion.energy()")
    worst, largest = 0.0, abs(sum(before))
    for _ in range(10):
        page.evaluate("anyjoint.source.advance(500)")
        kinetic, potential = page.evaluate("anyjoint.source.motion.energy()")
        worst = max(worst, abs(kinetic + potential - sum(before)))
        largest = max(largest, kinetic)
    assert page.evaluate("anyjoint.source.time") == pytest.approx(10)
    assert worst < 0.01 * largest


def test_poses_and_energies_are_those_of_the_model(case, page):
    mech, model = case
    q, v = mech.start
    poses = np.reshape(page.evaluate("[...anyjoint.source.poses()]"), (mech.nb, 3, 4))
    assert np.abs(poses - FloatModel(mech).body_poses([q])[0][:, :3]).max() < 1e-12
    kinetic, potential = model.energy(q, v)
    seen = page.evaluate("anyjoint.source.motion.energy()")
    assert seen == pytest.approx([kinetic, potential], rel=1e-12)


def test_other_gravity_and_wrenches_act_as_they_should(case, page):
    """A short step changes velocities by the accelerations that the model gives for the same forces."""
    mech, model = case
    q, v = mech.start
    w, h = np.cos(np.arange(6.0 * mech.nb)), 1e-7
    gravity = np.array([1.0, 2.0, -3.0])
    seen = page.evaluate(
        "(() => { const own = anyjoint.source.motion, s = Object.create(own);"
        f" Object.assign(s, {{ q: own.q.slice(), v: own.v.slice(), gravity: Float64Array.from({gravity.tolist()}),"
        f" wrenches: Float64Array.from({w.tolist()}), damping: 0.5, dt: {h} }});"
        " s.step(); return [...s.v]; })()"
    )
    other = copy.copy(mech)
    other.gravity = gravity.tolist()
    tau = model.generalized_forces(q, w.reshape(-1, 6)) - 0.5 * v
    expected = v + h * compile_model(other).forward_dynamics(q, v, tau)
    change = np.abs(expected - v).max()
    assert np.abs(np.array(seen) - expected).max() < 1e-4 * change  # of second order in h, and the digits that are left


OTHERS = ["semi-implicit-euler", "implicit-euler", "bdf2"]  # test_live_steps.py runs them without a browser


@pytest.mark.parametrize("method", ["dopri5", *(pytest.param(x, marks=pytest.mark.slow) for x in OTHERS)])
def test_pages_step_by_any_method(method, chromium, tmp_path):
    """Also after the rehearsal, a pull and a reset, of which nothing is remembered."""
    mech = mixed()
    model = compile_model(mech)
    chromium.open(model_page(model, tmp_path / "live.html", dt=2e-3, method=method), "play=0")
    chromium.evaluate("anyjoint.source.motion.wrenches = new Float64Array(24).map((_, k) => Math.cos(k))")
    chromium.evaluate("anyjoint.source.advance(9), anyjoint.source.motion.wrenches = null, anyjoint.source.reset()")
    chromium.evaluate("anyjoint.source.advance(50)")
    seen = chromium.evaluate("[[...anyjoint.source.motion.q], [...anyjoint.source.motion.v]]")
    traj = model.simulate(duration=0.2, dt=2e-3, method=method)
    assert np.abs(np.array(seen[0]) - traj.q[50]).max() < 1e-10
    assert np.abs(np.array(seen[1]) - traj.v[50]).max() < 1e-9


def held(kind, chromium, folder, method="rk4"):
    """A page of a mechanism with constraints, and its model."""
    mech, guess = KINDS[kind]()
    mech.set_start(*compile_model(mech).assemble(guess, np.full(mech.nv, 0.3)))
    model = compile_model(mech)
    chromium.messages.clear()
    chromium.open(model_page(model, folder / "live.html", dt=2e-3, method=method), "play=0")
    return chromium, model


@pytest.mark.parametrize("kind", ["loop", "wheel", "prescribed"])
def test_constraints_hold_on_live_pages(kind, chromium, tmp_path):
    page, model = held(kind, chromium, tmp_path)
    page.evaluate("anyjoint.source.advance(100), anyjoint.show()")
    traj = model.simulate(duration=0.2, dt=2e-3)
    seen = page.evaluate("[[...anyjoint.source.motion.q], [...anyjoint.source.motion.v]]")
    assert np.abs(np.array(seen[0]) - traj.q[-1]).max() < 1e-11
    assert np.abs(np.array(seen[1]) - traj.v[-1]).max() < 1e-10
    said = page.evaluate("document.querySelectorAll('.readout b')[1].textContent")
    assert (said == "driven") == (kind == "prescribed")
    assert not page.messages


def test_pages_start_on_the_constraints(chromium, tmp_path):
    mech, guess = KINDS["loop"]()
    model = compile_model(mech)
    with pytest.raises(InputError, match=r"to_html: the start is off the constraints: positions miss .*model.assemble"):
        model_page(model, tmp_path / "live.html", q0=mech.neutral)
    mech.set_start(guess)  # as a file may have it: near, and off
    assert max(np.abs(x).max() for x in model.constraint_errors(guess, np.zeros(model.nv))) > 1e-6
    chromium.open(model_page(model, tmp_path / "live.html"), "play=0")
    q, v = (np.array(chromium.evaluate(f"[...anyjoint.source.motion.{x}]")) for x in "qv")
    assert max(np.abs(x).max() for x in model.constraint_errors(q, v)) < 1e-10


def test_pages_of_large_models_have_one_text_for_steps(chromium, tmp_path, monkeypatch):
    monkeypatch.setattr("anyjoint.view.script.MANY", 0)
    mech = mixed()
    model = compile_model(mech)
    chromium.open(model_page(model, tmp_path / "live.html", dt=2e-3), "play=0")
    assert not chromium.evaluate("makeDynamics.toString().includes('step: (')")
    chromium.evaluate("anyjoint.source.advance(20)")
    seen = chromium.evaluate("[[...anyjoint.source.motion.q], [...anyjoint.source.motion.v]]")
    for x, y in zip(seen, rk4(mech, model, *mech.start, 2e-3, 20), strict=True):
        assert np.abs(np.array(x) - y).max() < 1e-9


@pytest.mark.parametrize("method", ["rk4", "dopri5"])
def test_sliders_of_live_pages_keep_loops_closed(method, chromium, tmp_path):
    page, model = held("loop", chromium, tmp_path, method)
    sliders = "[...document.querySelectorAll('.live details input')]"
    before = np.array(page.evaluate("[...anyjoint.source.motion.q]"))
    wanted = float(before[0]) + 0.6
    page.evaluate(f"(([s]) => {{ s.value = {wanted}; s.dispatchEvent(new Event('input')); }})({sliders})")
    q, v = (np.array(page.evaluate(f"[...anyjoint.source.motion.{x}]")) for x in "qv")
    errors = model.constraint_errors(q, v)
    assert max(np.abs(x).max() for x in errors) < 1e-9
    assert 0.3 < q[0] - before[0] < 0.61
    assert np.abs(q - before).max() < 1.5  # it stays folded as it was
    shown = [float(x) for x in page.evaluate(f"{sliders}.map((s) => s.value)")]
    assert shown == pytest.approx(q.tolist(), abs=1e-9)
    page.evaluate("anyjoint.source.advance(20)")
    seen = page.evaluate("[...anyjoint.source.motion.q]")
    assert seen == pytest.approx(model.simulate(q, v, 0.2, 2e-3, method).q[20].tolist(), abs=1e-9)


def test_a_page_whose_steps_become_too_short_says_so(chromium, tmp_path):
    model = compile_model(double_pendulum())
    chromium.open(model_page(model, tmp_path / "live.html", method="dopri5"), "play=0")
    chromium.evaluate("anyjoint.source.motion.v[0] = 1e200, anyjoint.source.advance(5), anyjoint.show()")
    said = "document.querySelector('.trouble').textContent"
    assert chromium.evaluate(said).startswith("No step is short enough near t = 0.01 s. Reset it")
    chromium.press("Backspace")
    assert chromium.evaluate("document.querySelector('.trouble').hidden") is True
    assert chromium.evaluate("anyjoint.source.advance(5)") is True


def test_the_camera_goes_along_with_what_rides_away(chromium, tmp_path):
    mech = gallery.bicycle()
    chromium.open(model_page(compile_model(mech), tmp_path / "live.html", dt=2e-3), "play=0")
    assert chromium.evaluate("anyjoint.followed") == 0
    where = "(() => { const p = anyjoint.bodies.groups[0].getWorldPosition(anyjoint.stage.camera.position.clone());"
    where += " p.project(anyjoint.stage.camera); return [p.x, p.y]; })()"
    before = chromium.evaluate(where)
    chromium.evaluate("anyjoint.source.advance(500), anyjoint.show(), anyjoint.stage.render(false, 0)")
    assert np.abs(np.array(chromium.evaluate(where)) - before).max() < 0.1


def test_live_pages_feel_contacts(chromium, tmp_path):
    """A ball is dropped, slips and rolls: the same Newton iterations in the page."""
    mech = Mechanism("ball")
    mech.add_body("ball", joint=joints.FreeQuaternion(), inertia=Inertia.sphere(0.5, 0.1))
    mech.add_contact("ball", Sphere(0.1), friction=0.3)
    mech.set_start([1, 0, 0, 0, 0, 0, 0.11], [0, 0, 0, 1, 0, 0])
    model = compile_model(mech)
    chromium.messages.clear()
    chromium.open(model_page(model, tmp_path / "live.html", dt=2e-3, method="time-stepping"), "play=0")
    chromium.evaluate("anyjoint.source.advance(100)")
    seen = chromium.evaluate("[[...anyjoint.source.motion.q], [...anyjoint.source.motion.v]]")
    traj = model.simulate(duration=0.2, dt=2e-3, method="time-stepping")
    assert np.abs(np.array(seen[0]) - traj.q[-1]).max() < 1e-8
    assert np.abs(np.array(seen[1]) - traj.v[-1]).max() < 1e-7
    # What contacts do is drawn, by itself and until somebody does not want it.
    track = traj.contacts["ball-ground"]
    told = np.concatenate([x[-1].ravel() for x in (track.points, track.normals, track.forces)])
    assert np.abs(np.array(chromium.evaluate("[...anyjoint.source.motion.dynamics.touched]")) - told).max() < 1e-6
    points, forces = chromium.evaluate("[[...anyjoint.source.contactPoints()], [...anyjoint.source.contactForces()]]")
    assert np.abs(np.array(points) - track.points[-1, 0]).max() < 1e-8
    assert np.abs(np.cross(forces, track.forces[-1, 0])).max() < 1e-6 * np.linalg.norm(track.forces[-1, 0])
    drawn = "(anyjoint.show(), [anyjoint.contacts.mesh.visible, anyjoint.contacts.arrows.count])"
    assert chromium.evaluate(drawn) == [True, 1]
    chromium.press("c")
    assert chromium.evaluate("anyjoint.contacts.mesh.visible") is False
    chromium.press("Backspace")
    assert chromium.evaluate("anyjoint.source.contactPoints().length") == 0
    assert not chromium.messages


def test_forces_act_on_live_pages_as_in_simulations(chromium, tmp_path):
    model = compile_model(mixed())
    acting = [
        forces.Spring("first", (0, 0, -1), None, (1, 1, -2), stiffness=20.0, damping=0.5, length=0.3),
        forces.Wrench("last", force=(0.0, 2.0, 0.0)),
    ]
    chromium.open(model.to_html(tmp_path / "live.html", dt=2e-3, forces=acting), "play=0")
    chromium.evaluate("anyjoint.source.advance(50)")
    seen = chromium.evaluate("[[...anyjoint.source.motion.q], [...anyjoint.source.motion.v]]")
    traj = model.simulate(duration=0.1, dt=2e-3, forces=acting)
    free = model.simulate(duration=0.1, dt=2e-3)
    assert np.abs(free.v[-1] - traj.v[-1]).max() > 0.1
    assert np.abs(np.array(seen[0]) - traj.q[-1]).max() < 1e-10
    assert np.abs(np.array(seen[1]) - traj.v[-1]).max() < 1e-9
    chromium.evaluate("anyjoint.show()")
    said = chromium.evaluate("document.querySelectorAll('.readout b')[1].textContent")
    assert said == "driven"  # by what pages do not count
    # The same with what the pointer adds, here nothing but a little damping: the other program.
    chromium.open(model.to_html(tmp_path / "live.html", dt=1e-7, forces=acting), "play=0")
    chromium.evaluate("(() => { const s = anyjoint.source.motion; s.damping = 1e-9; s.step(); })()")
    drag = model.simulate(duration=1e-7, dt=1e-7, forces=acting)
    assert np.abs(np.array(chromium.evaluate("[...anyjoint.source.motion.v]")) - drag.v[-1]).max() < 1e-14
    with pytest.raises(InputError, match="cannot ask Python functions"):
        model.to_html(tmp_path / "no.html", forces=[forces.Wrench("last", force=(0.0, lambda t: t, 0.0))])


def test_the_text_is_the_same_every_time_and_free_of_names():
    mech = mixed()
    texts = {dynamics_script(compile_model(mech)) for _ in range(2)}
    (text,) = texts
    assert not [name for name in ("</script", "welded", "mixed") if name in text]


def test_sliders_have_the_names_of_the_file(tmp_path):
    (tmp_path / "bot.urdf").write_text(ZOO)
    names = [field["name"] for field in model_info(load(tmp_path / "bot.urdf"))["coordinates"]]
    assert names[:3] == ["shoulder", "elbow", "rail"]
    assert names[-1] == "ball, z"


def test_pages_of_robots_that_nothing_holds_wait(tmp_path):
    """They would be out of sight before one has looked at them."""
    solid = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
    (tmp_path / "drone.urdf").write_text(f'<robot name="drone"><link name="hull">{solid}</link></robot>')
    drone = load(tmp_path / "drone.urdf", base="free")
    waiting = '"autoplay":false'
    pages = {name: tmp_path / f"{name}.html" for name in ("waits", "asked", "stands")}
    drone.compile().to_html(pages["waits"])
    drone.compile().to_html(pages["asked"], autoplay=True)
    drone.add_contact("hull", (0, 0, 0))
    drone.compile().to_html(pages["stands"], method="time-stepping")
    texts = {name: page.read_text().replace(" ", "") for name, page in pages.items()}
    assert {name: waiting in text for name, text in texts.items()} == {"waits": True, "asked": False, "stands": False}
    assert {name: '"falls":true' in x for name, x in texts.items()} == {"waits": True, "asked": True, "stands": False}
