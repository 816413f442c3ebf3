"""The public surface: every public module says what belongs to it, and help() teaches with examples that run."""

import ast
import doctest
import importlib
import inspect
import pkgutil
from pathlib import Path

import pytest

import anyjoint as aj
from anyjoint.model.model import INSIDE

PUBLIC = [getattr(aj, name) for name in aj.__all__]
MODULES = [aj, *filter(inspect.ismodule, PUBLIC), importlib.import_module("anyjoint.errors")]
PACKAGES = [m.name for m in pkgutil.walk_packages(aj.__path__, "anyjoint.") if m.ispkg]
EXAMPLES = [aj.Mechanism, aj.Model, aj.Model.simulate, aj.Pose, aj.Inertia, aj.Trajectory, aj.joint, aj.sweep,
            aj.SweepResult, aj.uniform, aj.normal]  # fmt: skip


@pytest.mark.parametrize("module", MODULES, ids=lambda m: m.__name__)
def test_every_public_module_lists_its_names(module):
    assert module.__all__
    for name in module.__all__:
        thing = getattr(module, name)
        assert inspect.getdoc(thing) or isinstance(thing, (str, tuple)), f"{module.__name__}.{name} is not described"
    own = {n for n, x in vars(module).items() if getattr(x, "__module__", "") == module.__name__ and n in dir(module)}
    classes = {n for n in own if inspect.isclass(getattr(module, n)) and not n.startswith("_")}
    assert classes <= set(module.__all__)


def test_editors_find_where_every_public_name_is_defined():
    """Names are loaded when they are used; what type checkers and editors read lists all of them, too."""
    tree = ast.parse(Path(aj.__file__).read_text(encoding="utf8"))
    (typed,) = [x for x in tree.body if isinstance(x, ast.If) and ast.unparse(x.test) == "TYPE_CHECKING"]
    assert {alias.asname for line in typed.body for alias in line.names} == set(aj.__all__) - {"__version__"}


@pytest.mark.parametrize("name", PACKAGES)
def test_every_package_says_what_it_offers(name):
    package = importlib.import_module(name)
    assert all(hasattr(package, n) for n in package.__all__)


@pytest.mark.parametrize("thing", EXAMPLES, ids=lambda x: x.__qualname__)
def test_help_teaches_with_an_example_that_runs(thing, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    mech = aj.Mechanism("pendulum")
    mech.add_body("bob", joint=aj.joints.Revolute((0, 1, 0)), inertia=aj.Inertia.point(1.0, (0, 0, -1)))
    test = doctest.DocTestParser().get_doctest(
        inspect.getdoc(thing), {"aj": aj, "model": mech.compile()}, thing.__qualname__, None, None
    )
    assert test.examples
    said = []
    assert doctest.DocTestRunner().run(test, out=said.append).failed == 0, "".join(said)


def test_help_of_a_mechanism_shows_the_whole_way():
    text = inspect.getdoc(aj.Mechanism)
    for step in ("add_body", "@aj.joint", "compile()", "simulate("):
        assert step in text


def test_completion_shows_what_users_ask_for():
    model = aj.gallery.four_bar().compile()
    shown, own = set(dir(model)), {name for name in vars(model) if not name.startswith("_")}
    assert {"forward_dynamics", "mass_matrix", "parameters", "simulate", "constraint_forces", "nq"} <= shown
    assert not shown & INSIDE
    assert all(hasattr(type(model), name) or name in own for name in INSIDE)  # no name there that is no more
