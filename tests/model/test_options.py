"""Options are in the signatures, and one that does not exist is refused with the nearest that does."""

import inspect

import pytest

import anyjoint as aj
from anyjoint import joints, shapes
from anyjoint.errors import InputError
from anyjoint.simulate import simulate
from anyjoint.view import trajectory_scene


def pendulum() -> aj.Mechanism:
    mech = aj.Mechanism("pendulum")
    mech.add_body("bob", joint=joints.Revolute((0, 1, 0)), inertia=aj.Inertia.point(1.0, (0, 0, -1)))
    return mech


MODEL = pendulum().compile()
TRAJ = MODEL.simulate([0.1], duration=0.01)
REFUSED = {
    "compile": (lambda: pendulum().compile(algoritm="recursive"), "no option 'algoritm'; did you mean 'algorithm'"),
    "compile_model": (lambda: aj.compile_model(pendulum(), typ="float32"), "no option 'typ'"),
    "dtype": (lambda: pendulum().compile(dtype="wibble"), "'float64' or 'float32'"),
    "form": (lambda: pendulum().compile(form="wibble"), "straight"),
    "algorithm": (lambda: pendulum().compile(algorithm="wibble"), "articulated-body"),
    "width": (lambda: pendulum().compile(width=3), "power of two"),
    "simulate": (lambda: MODEL.simulate(durations=1.0), "did you mean 'duration'"),
    "simulate's own": (lambda: simulate(MODEL, step=1e-3), "no option 'step'"),
    "a live page": (lambda: MODEL.to_html("x.html", wibble=3), "no option 'wibble'; choose one of path, live"),
    "a still page": (lambda: MODEL.to_html("x.html", live=False, titel="x"), "did you mean 'title'"),
    "a page of a run": (lambda: TRAJ.to_html("x.html", wibble=3), "no option 'wibble'; choose one of path, title"),
    "a scene": (lambda: trajectory_scene(TRAJ, them="dark"), "did you mean 'theme'"),
    "theme": (lambda: TRAJ.to_html("x.html", theme="pink"), '"light" or "dark"'),
    "lite": (lambda: TRAJ.to_html("x.html", lite="yes"), "True or False"),
    "title": (lambda: TRAJ.to_html("x.html", title=3), "a text"),
    "frame rate": (lambda: TRAJ.to_html("x.html", frame_rate=0), "positive"),
    "a start of another size": (lambda: MODEL.to_html("x.html", q0=[1.0, 2.0]), r"shape \(2,\)"),
    "add_body": (lambda: pendulum().add_body("x", joynt=joints.Fixed()), "did you mean 'joint'"),
    "joint": (lambda: aj.joint(dof=1, domains=[(0, 1)]), "did you mean 'domain'"),
    "a colour": (lambda: shapes.Box(1, 1, 1, color="blurple"), "Box: color 'blurple'.*did you mean 'purple'"),
    "a number as colour": (lambda: shapes.Box(1, 1, 1, color=3), "color 3"),
    "five digits": (lambda: shapes.Sphere(1.0, color="#12345"), "#rrggbb"),
    "a rod's colour": (lambda: shapes.rod((0, 0, 0), (0, 0, 1), 0.1, "wibble"), "color 'wibble'"),
    "a wire's colour": (lambda: shapes.curve(lambda s: (s, 0, 0), 0.0, 1.0, color="nope"), "color 'nope'"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_unknown_options_are_refused(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    act, words = REFUSED[name]
    with pytest.raises(InputError, match=words):
        act()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("color", ["red", "RebeccaPurple", "#abc", "#A1B2C3"])
def test_colours_of_css_are_taken(color):
    assert shapes.Box(1, 1, 1, color=color).color == color


def parameters(function):
    return {n: p.default for n, p in inspect.signature(function).parameters.items() if n not in ("self", "model")}


def test_a_models_simulate_has_the_options_of_simulate():
    assert parameters(aj.Model.simulate) == parameters(simulate)


def test_a_mechanisms_compile_has_the_options_of_a_model():
    assert parameters(aj.Mechanism.compile) == {n: p for n, p in parameters(aj.Model).items() if n != "mechanism"}
    assert parameters(aj.compile_model) == parameters(aj.Model)


DOORS = [aj.Mechanism.compile, aj.Mechanism.add_body, aj.Model.simulate, aj.Model.to_html, aj.Trajectory.to_html]


@pytest.mark.parametrize("function", DOORS)
def test_every_option_is_spelled_out_and_described(function):
    signature = inspect.signature(function)
    assert all(p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL) for p in signature.parameters.values())
    text = inspect.getdoc(function)
    obvious = {"self", "path", "name", "title", "description", "parent", "joint", "inertia", "shape", "frames"}
    missing = [n for n in signature.parameters if n not in obvious and n not in text]
    assert missing == []
