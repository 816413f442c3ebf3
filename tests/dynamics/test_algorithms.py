"""Every algorithm of the folder says the same on floats, as straight code and by kernels; so do its mistakes."""

import importlib
import pkgutil
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import dynamics, gallery, joints
from anyjoint.dynamics.algorithm import Algorithm, algorithm, run_sweeps
from anyjoint.dynamics.carried_hybrid import CARRIED_HYBRID
from anyjoint.dynamics.constraint_jacobian import PROJECT
from anyjoint.dynamics.products import jacobian_rate
from anyjoint.errors import AlgorithmError
from anyjoint.model.program import Program
from anyjoint.quantity import Quantity, Row
from anyjoint.quantity.formulations import FORMULATIONS
from anyjoint.quantity.quantity import sweeps
from anyjoint.spatial import vector
from anyjoint.trace.flatten import flatten
from anyjoint.trace.workshop import Workshop
from anyjoint.tree import columns
from anyjoint.tree.links import float_bodies, joint_numbers, link_motion, raw_values, upward
from anyjoint.tree.plan import GENERAL
from anyjoint.tree.record import ground
from dynamics.support import close

pytestmark = pytest.mark.fast_code


def all_algorithms():
    """Every Algorithm that a module of the folder defines, once."""
    modules = [importlib.import_module(m.name) for m in pkgutil.iter_modules(dynamics.__path__, "anyjoint.dynamics.")]
    return list(dict.fromkeys(x for m in modules for x in vars(m).values() if isinstance(x, Algorithm)))


# Those of constraints alone say nothing about a plain tree.
ALGORITHMS = [method for method in all_algorithms() if method not in (PROJECT, CARRIED_HYBRID)]
# Of constraints and forces, which there are none here.
FEEDS = {name: Row(name, "whole", (0,)) for name in columns.FEEDS}


@cache
def mixed():
    """Hinges, a slider, a quaternion, two legs and a function of one's own; branches, a weld and springs."""
    names = ("revolute", "prismatic", "spherical-quaternion", "curve-curve", "own")
    kinds = gallery.every_kind()
    mech = gallery.random_tree(5, n=6, kinds={name: kinds[name] for name in names})
    solid = aj.Inertia.box(1.0, 0.1, 0.2, 0.3)
    mech.add_body("weld", mech.bodies[3], joints.Fixed(), aj.Pose.translation(0.1, 0.2, 0.3), solid)
    mech.add_body("sprung", "weld", joints.Universal(), aj.Pose.rotation_x(0.3), solid, stiffness=2.0, damping=0.3)
    mech.set_start([*mech.start[0], 0.1, 0.2])
    return mech


def rows_of(method):
    """Rows by name, but for those of one number per velocity."""
    sized = {x.name: Row(x.name, "bodies" if x.each else "whole", (x.count,)) for x in method.sized}
    return {"q": Row("q", "coordinates")} | sized | FEEDS


def random_rows(method, mech, seed=0):
    """Inputs of an algorithm by name."""
    rng, known = np.random.default_rng(seed), rows_of(method)
    rows = {name: known.get(name, Row(name, "velocities")) for name in method.inputs}
    made = {name: mech.start[0] if name == "q" else rng.normal(size=row.shape(mech)) for name, row in rows.items()}
    return made | ({"h": np.full(1, 0.01)} if "h" in rows else {})  # the length of a step


@cache
def workshop(mech, form):
    """One for all algorithms, which knows the mechanism's joints."""
    return Workshop(mech, form)


def by_floats(method, mech, rows):
    """The result row, by the runner on plain numbers; who says that masses are not read does not see any."""
    plan, gravity = workshop(mech, "auto").plan(method.over), upward(mech.gravity if method.gravity else (0, 0, 0))
    v = rows.get("v", np.zeros(mech.nv))
    by_velocity = {name: x for name, x in rows.items() if name not in ("v", *rows_of(method))}
    records = float_bodies(plan, rows["q"], v, method.partials is not None, method.factors, **by_velocity)
    for k, (link, record) in enumerate(zip(plan.links, records, strict=True)):
        record.up = gravity
        if not method.masses:
            record.J = None
        for name in FEEDS:
            setattr(record, name, vector())
        for x in method.sized:
            setattr(record, x.name, vector(*map(float, rows[x.name][k] if x.each else rows[x.name])))
        if "x" in rows:
            record.Sdot_x = _rate_times(link, rows["q"][link.q], v[link.v], rows["x"][link.v])
    run_sweeps(method, records, plan.parents, ground(gravity))
    made = [x for name in method.results for record in records for x in flatten(getattr(record, name))[0]]
    totals = [np.sum([flatten(getattr(r, name))[0] for r in records], axis=0) for name in method.totals]
    return np.array([*made, *(x for total in totals for x in total)], dtype=float)


def _rate_times(link, q, v, x):
    """Sdot x of one joint."""
    if link.kind != GENERAL:
        return vector(*[0.0] * 6)
    numbers = joint_numbers(link, raw_values(link))
    rates = link.joint.rate(q.tolist(), v.tolist()) if link.joint.nq != link.joint.nv else None
    return jacobian_rate(lambda at, w: link_motion(link, numbers, at, w), q.tolist(), v.tolist(), x.tolist(), rates)


def compiled(form):
    """The same row, by machine code of one form."""

    def run(method, mech, rows):
        known = rows_of(method)
        inputs = tuple(known.get(name, Row(name, "velocities")) for name in method.inputs)
        quantity = Quantity(f"{method.name} {form}", "For this test.", inputs, (), sweeps(method))
        arrays = tuple(rows[name].ravel() for name in method.inputs)
        program = Program(quantity, quantity.trace(workshop(mech, form), "auto"), mech)
        return program(*arrays)

    return run


FORMS = {"floats": by_floats, "straight": compiled("straight"), "kernels": compiled("kernels")}


def test_the_folder_is_searched():
    assert {"articulated-body", "newton-euler", "weight", "momentum", "hybrid"} <= {x.name for x in ALGORITHMS}
    assert len({x.name for x in ALGORITHMS}) == len(ALGORITHMS), "traced programs are stored by name"


# Derivatives take longest; test_matrices looks at them by every way of a joint, and model/test_formulations at every
# formulation of forward dynamics in both forms.
SELDOM = [x for x in ALGORITHMS if "derivatives" in x.name or x.name in FORMULATIONS]
OFTEN = [pytest.param(x, marks=[pytest.mark.slow] * (x in SELDOM)) for x in ALGORITHMS]


@pytest.mark.parametrize("method", OFTEN, ids=lambda x: x.name)
def test_all_forms_agree(method):
    """To 1e-11: the order of sums differs, and mass matrices of random trees have conditions of thousands."""
    mech = mixed()
    rows = random_rows(method, mech)
    wanted = by_floats(method, mech, rows)
    assert wanted.size
    assert np.isfinite(wanted).all()
    for form in ("straight", "kernels"):
        assert close(FORMS[form](method, mech, rows), wanted, 1e-11)


def say(body, parent):
    body.x = body.qd
    parent.add("n", body.qd[0])
    body.sum = vector(body.plus("n", body.qd[0]))


def read_earlier_parent(body, parent):
    body.generalized = body.qd + parent.x[0]


def read_earlier_sum(body, parent):
    body.generalized = vector(body.plus("n", body.qd[0]))


def made(name, *steps, **options):
    return algorithm(name, *steps, inputs=["q", "v"], **({"results": ["generalized"]} | options))


MISTAKES = {
    "a value of the parent from an earlier sweep": (
        made("earlier parent", ("outward", say), ("outward", read_earlier_parent)),
        "reads 'x' of the parent, which the same sweep has not set, nor has the ground it",
    ),
    "a parent that comes later": (
        made("later parent", ("inward", read_earlier_parent)),
        "reads 'x' of the parent, which the same sweep has not set, nor has the ground it",
    ),
    "a sum of an earlier sweep": (
        made("earlier sum", ("inward", say), ("inward", read_earlier_sum)),
        "sums 'n' of the children, which the same sweep has not handed in",
    ),
    "a result that no sweep sets": (
        made("no result", ("inward", say)),
        "no sweep has given this link a value 'generalized' yet, and it is no input of the algorithm",
    ),
    "a total that no sweep sets": (
        made("no total", ("inward", say), results=[], totals=["mass"]),
        "no sweep has given this link a value 'mass' yet, and it is no input of the algorithm",
    ),
    "an input that is not declared": (
        made("no input", ("outward", lambda body, parent: setattr(body, "generalized", body.qdd_in))),
        "no sweep has given this link a value 'qdd_in' yet, and it is no input of the algorithm",
    ),
}


def chain(n):
    mech = aj.Mechanism("chain")
    for k in range(n):
        place = aj.Pose.translation(0.1, 0.2, 0.3) if k else aj.Pose()
        mech.add_body(f"body {k}", mech.bodies[-1] if k else None, joints.Revolute(), place, aj.Inertia.sphere(1, 0.1))
    mech.set_start([0.1] * n)
    return mech


def write_later(body, parent):
    body.generalized = 2 * body.qd
    body.generalized[0] = 0


@pytest.mark.parametrize("form", FORMS)
def test_nothing_is_written_to_what_has_been_said(form):
    """Kernels would store what was said."""
    method, mech = made(f"written later, {form}", ("outward", write_later)), chain(2)
    with pytest.raises(ValueError, match="read-only"):
        FORMS[form](method, mech, random_rows(method, mech))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("n", [1, 3])
@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_have_the_same_error_in_every_form(mistake, n, form):
    method, message = MISTAKES[mistake]
    mech = chain(n)
    with pytest.raises(AlgorithmError) as told:
        FORMS[form](replace(method, name=f"{method.name} {n}"), mech, random_rows(method, mech))
    assert str(told.value).endswith(message)


def read_number_of_parent(body, parent):
    """The ground has none, and is not asked."""
    body.generalized = body.qd if body.on_ground else body.qd * parent.J.C[0, 0]


@pytest.mark.parametrize("form", FORMS)
def test_numbers_of_the_parent_are_its_own(form):
    method, mech = made(f"parent's number, {form}", ("outward", read_number_of_parent)), chain(3)
    with pytest.raises(AlgorithmError, match="reads 'J' of the parent, which the same sweep has not set"):
        FORMS[form](method, mech, random_rows(method, mech))


def hand_in_twice(body, parent):
    total = body.plus("n", body.qd[0])
    parent.add("n", total)
    parent.add("n", 2 * body.qd[0])
    body.generalized = vector(total)


def test_what_a_link_hands_in_twice_is_added_up():
    method, mech = made("twice", ("inward", hand_in_twice)), chain(3)
    rows = random_rows(method, mech)
    a, b, c = rows["v"]
    for run in FORMS.values():
        assert close(run(method, mech, rows), np.array([a + 3 * b + 3 * c, b + 3 * c, c]), 1e-14)


@pytest.mark.parametrize(
    ("steps", "options", "message"),
    [
        ([("outwards", say)], {}, "typo: a sweep goes 'outwards'; expected 'outward' or 'inward'"),
        ([("outward", say)], {"results": ["x", "x"]}, "typo: the result or total 'x' is declared twice"),
        ([("outward", say)], {"results": ["x"], "totals": ["x"]}, "typo: the result or total 'x' is declared twice"),
        ([("outward", say)], {"inputs": ["q", "q"]}, "typo: the input 'q' is declared twice"),
    ],
)
def test_declarations_are_checked_when_an_algorithm_is_made(steps, options, message):
    with pytest.raises(AlgorithmError) as told:
        algorithm("typo", *steps, **({"inputs": ["q"], "results": ["x"]} | options))
    assert str(told.value).endswith(message)
