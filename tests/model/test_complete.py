"""Programs write every entry of their results: callers hand over memory as it is, with any numbers in it."""

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import gallery, joints


def still():
    """Bodies that are welded to the ground, and to each other."""
    mech = aj.Mechanism("still")
    mech.add_body("base", joint=joints.Fixed(), inertia=aj.Inertia.point(1.0))
    mech.add_body("post", "base", joints.Fixed(), inertia=aj.Inertia.point(2.0))
    return mech.compile()


def check(program, rows, wanted):
    """Whether batches, single states and lists are answered alike into memory that holds no numbers."""
    shape = (*np.shape(rows[0])[:-1], program.size)
    assert np.array_equal(program(*rows, out=np.full(shape, np.nan)), wanted)
    assert np.array_equal(program(*(x.tolist() for x in rows), out=np.full(shape, np.nan)), wanted)
    single = program(*(x[0] for x in rows), out=np.full(program.size, np.nan))
    assert np.allclose(single, wanted[0], rtol=0, atol=1e-14)


@pytest.mark.parametrize(("count", "form"), [(2, "straight"), (5, "kernels")])
def test_rates_of_what_does_not_move(count, form):
    model = gallery.revolute_chain(count).compile(form=form)
    rows = np.random.default_rng(0).normal(size=(2, 9, count))
    poses, rates = model.jvp("body_poses", (rows[0],), {"q": rows[1]})
    assert (rates[..., 3, :] == 0).all()
    wanted = np.concatenate([poses.reshape(9, -1), rates.reshape(9, -1)], axis=1)
    check(model.products.programs[-1], rows, wanted)


def test_gradients_of_what_depends_on_nothing():
    model = gallery.revolute_chain(3).compile()
    q, weights = np.random.default_rng(0).normal(size=(2, 9, 3))
    found, gradients = model.vjp("passive_forces", (q, 0 * q), weights)
    wanted = np.hstack([found, gradients["q"], gradients["v"]])
    assert not wanted.any()
    check(model.products.programs[-1], (q, 0 * q, weights), wanted)


@pytest.mark.parametrize("name", ["energy", "momentum", "centroidal", "mass_moments"])
def test_sums_over_no_links(name):
    model = still()
    program = model.program(name)
    rows = [np.zeros((3, n)) for _, n in program.inputs]
    assert not program(*rows, out=np.full((3, program.size), np.nan)).any()
    assert not program(*(x[0] for x in rows), out=np.full(program.size, np.nan)).any()


def test_rows_of_parameters():
    model = gallery.revolute_chain(2).compile()
    names = [name for name in model.parameters if name.endswith("/mass")]
    rows = model.parameter_rows({names[0]: [1.0, 2.0]})
    q = np.array([[0.1, 0.2], [0.3, 0.4]])
    program = model.row_programs.program("body_poses", rows)
    found = program((q,), model.row_programs.numbers(program, rows), np.full((2, program.size), np.nan), 1)
    assert np.allclose(found.reshape(2, 2, 4, 4), model.body_poses(q), rtol=0, atol=1e-15)
