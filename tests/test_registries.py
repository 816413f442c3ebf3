"""Lists that are kept in several places agree: joints, quantities and algorithms are in all of them."""

import inspect
from pathlib import Path

import pytest

from anyjoint import gallery, joints
from anyjoint.export.c import c_package
from anyjoint.export.javascript import javascript_module
from anyjoint.model import Model
from anyjoint.model.dense import ALONE, WITH_MULTIPLIERS
from anyjoint.quantity import QUANTITIES
from anyjoint.quantity.formulations import FORMULATIONS
from anyjoint.trace.workshop import Workshop
from tests.joints.zoo import KINDS

DOCS = Path(__file__).resolve().parent.parent / "docs"
PUBLIC = {name: getattr(joints, name) for name in joints.__all__}
JOINTS = {x for x in PUBLIC.values() if inspect.isclass(x) and issubclass(x, joints.Joint)} - {joints.Joint}
ANSWERS = {name: quantity for name, quantity in QUANTITIES.items() if quantity.outputs}


@pytest.fixture
def pages(monkeypatch):
    """The generators of the documentation pages."""
    monkeypatch.syspath_prepend(str(DOCS))
    import pages

    return pages


def test_every_joint_kind_is_public():
    """Every class of the folder that is a joint and no base of others is among the public names."""
    found, front = set(), [joints.Joint]
    while front:
        children = front.pop().__subclasses__()
        found |= {kind for kind in children if kind.__module__.startswith("anyjoint.joints.")}  # files have formulas
        front += children
    assert {kind for kind in found if not kind.__subclasses__()} <= JOINTS


def test_every_joint_kind_is_in_the_zoo_and_in_the_gallery():
    """Coupled needs a body to follow, so it has no place of its own in either; trees can be asked for one."""
    assert JOINTS - {type(joint) for joint in KINDS.values()} == {joints.Coupled}
    assert JOINTS - {type(joint) for joint in gallery.every_kind().values()} == {joints.Coupled}
    assert {type(body.joint) for body in gallery.random_tree(coupled=True).bodies} == JOINTS


def test_every_joint_kind_has_a_section_in_the_docs(pages):
    assert set(pages.joints.kinds()) == JOINTS


@pytest.mark.parametrize("name", ANSWERS)
def test_every_quantity_is_a_method_with_docs(name):
    method, quantity = getattr(Model, name), ANSWERS[name]
    assert inspect.getdoc(method), name
    assert quantity.purpose.endswith(".")
    assert all(row.meaning for row in (*quantity.inputs, *quantity.outputs))
    signature = inspect.signature(method).parameters
    assert [row.name for row in quantity.inputs] == list(signature)[1 : 1 + len(quantity.inputs)]
    assert all(signature[name].default is None for name in quantity.optional)


def test_every_quantity_is_in_the_table_of_the_docs(pages):
    text = pages.quantities.page(DOCS.parent, DOCS)
    assert [name for name in ANSWERS if f"| `{name}(" not in text] == []
    assert "{include} generated/quantities.md" in (DOCS / "dynamics.md").read_text(encoding="utf8")


def test_every_quantity_is_exported():
    mech = gallery.revolute_chain(2)
    mech.add_loop(mech.bodies[-1], mech.ground, joint=joints.Spherical())
    mech.add_contact(mech.bodies[-1], (0, 0, 0))
    model = mech.compile()
    header, script = c_package(model, "it")["it.h"], javascript_module(model, "it")["it.js"]
    # Those that know no loops or feel no contacts are elsewhere.
    wanted = {name for name, quantity in ANSWERS.items() if quantity.among not in ("open", "apart")}
    assert {name for name in ANSWERS if f"int it_{name}(" in header} == wanted
    assert {name for name in ANSWERS if f"model.{name} = " in script} == wanted
    assert "int it_step_time_stepping(" in header
    assert "int it_step(" not in header


def test_sweeps_and_their_quantities_mean_rows_of_the_same_lengths():
    mech = gallery.revolute_chain(2)
    workshop, seen = Workshop(mech), 0
    for quantity in (x for x in ANSWERS.values() if x.concerns(mech)):
        method = quantity.trace(workshop, "articulated-body").by
        if method is not None:
            seen += bool(method.sized)
            lengths = dict(workshop.sizes(method.inputs, method.over, method.sized))
            assert [row.size(mech) for row in quantity.given(mech)] == list(lengths.values()), quantity.name
    assert seen >= 2


def test_formulations_that_solve_numerically_have_a_way_to():
    assert set(ALONE) == {name for name, formulation in FORMULATIONS.items() if formulation.numeric}
    assert set(WITH_MULTIPLIERS) == {name for name, formulation in FORMULATIONS.items() if formulation.solves}
