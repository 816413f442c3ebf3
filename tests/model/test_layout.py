"""How a schedule is laid out: the work grows with the number of bodies, not with its square."""

from unittest.mock import patch

import numpy as np
import pytest

import anyjoint as aj
from anyjoint.mechanism.gallery import revolute_chain
from anyjoint.symbolic import Graph, Node
from anyjoint.symbolic.interpret import evaluate
from anyjoint.trace import layout
from anyjoint.trace.setup import split_parameters
from bench.calls import tree


def copied(n):
    """How many numbers the layout turns into arrays."""
    with patch.object(layout.np, "array", wraps=np.array) as made:
        tree(n).compile(form="kernels")
    return sum(len(call.args[0]) for call in made.call_args_list if isinstance(call.args[0], list))


def test_a_tree_twice_as_large_is_laid_out_with_twice_the_work(monkeypatch):
    monkeypatch.setenv("ANYJOINT_CACHE", "off")  # traced programs would be found there
    assert copied(254) < 2.5 * copied(126)


@pytest.mark.parametrize("p", [0.5, 2.0])
def test_what_parameters_decide_about_values_of_the_state(p):
    """Conditions are no numbers that could be loaded; what they compare is."""
    graph = Graph()
    parameter, x = graph.variable("p"), graph.variable("x")
    asked = [aj.select(parameter * parameter < 1.0, x, x * x), aj.select(parameter * parameter < 1.0, 3.0, parameter)]
    target, outputs, variables, setup = split_parameters(graph, [node.id for node in asked], {parameter.id: 0})
    loaded = {Node(target, k): float(value) for k, value in enumerate(setup.evaluate(np.array([p]))[0])}
    found = evaluate([Node(target, i) for i in outputs], loaded | {Node(target, variables[x.id]): 7.0})
    assert list(found) == [7.0, 3.0] if p < 1 else [49.0, p]


def test_a_large_mass_matrix_is_written_along_its_rows_from_factors_that_begin_with_cache_lines():
    schedule = aj.gallery.revolute_chain(60).compile().program("mass_matrix").trace.schedule
    wide = [run for run in schedule.runs if schedule.kernels[run.kernel].columns == 8]
    assert wide
    for run in wide:
        arrays = schedule.kernels[run.kernel].arrays
        place = {array.name: run.offsets[:, k] for k, array in enumerate(arrays)}
        assert (np.diff(place["matrix"]) > 0).all()
        assert all((place[array.name] % 8 == 0).all() for array in arrays if array.wide and array.name != "matrix")


@pytest.mark.parametrize("make", [revolute_chain, tree])
def test_large_mass_matrices_fill_what_they_are_given(make):
    model = make(45).compile(form="kernels")
    q = np.random.default_rng(1).normal(size=(9, model.nq))
    given = np.full((9, model.nv, model.nv), np.nan)
    assert model.mass_matrix(q, out=given) is given
    assert np.array_equal(given, given.swapaxes(1, 2))
    one = np.full((model.nv, model.nv), np.nan)
    model.mass_matrix(q[0], out=one)
    np.testing.assert_allclose(one, given[0], rtol=1e-12, atol=1e-12)
    a, zero = np.random.default_rng(2).normal(size=(2, 9, model.nv)) * [[[1.0]], [[0.0]]]
    felt = model.inverse_dynamics(q, zero, a) - model.inverse_dynamics(q, zero, zero)
    np.testing.assert_allclose((given @ a[..., None])[..., 0], felt, rtol=1e-9, atol=1e-9)


MATRICES = {"coriolis_matrix": 2, "inverse_dynamics_derivatives": 3, "forward_dynamics_derivatives": 3,
            "inverse_mass_matrix": 1, "mass_matrix": 1, "regressor": 3}  # fmt: skip


@pytest.mark.parametrize("quantity", MATRICES)
@pytest.mark.parametrize("make", [aj.gallery.beads_on_wires, lambda: tree(7)], ids=["apart", "branches"])
def test_matrices_write_zeros_between_trees_and_branches(make, quantity):
    model = make().compile(form="kernels")
    rng = np.random.default_rng(4)
    rows = tuple(rng.uniform(0.1, 0.4, (5, model.nv)) for _ in range(MATRICES[quantity]))
    given = np.full((5, model.program(quantity).size), np.nan)
    model.evaluate(quantity, rows, given)
    alone = np.array([model.evaluate(quantity, tuple(x[k] for x in rows)) for k in range(5)])  # onto zeros
    np.testing.assert_allclose(given, alone.reshape(given.shape), rtol=0, atol=1e-12 * np.abs(alone).max())
