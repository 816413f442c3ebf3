"""Batches in two parts: sweeps with states side by side, matrices state by state."""

import numpy as np
import pytest

import anyjoint as aj
from anyjoint.codegen import schedule as compiled
from anyjoint.codegen.apart import Apart
from anyjoint.joints import Revolute

STATES = 21  # no whole tiles
INVERSE, FORWARD = "inverse_dynamics_derivatives", "forward_dynamics_derivatives"


@pytest.fixture
def mechanism(monkeypatch):
    """Two chains of ten hinges on one that turns."""
    monkeypatch.setattr(compiled, "NEAR", 0)  # nothing is
    mech = aj.Mechanism("branched", gravity=(0, 0, -9.81))
    solid, away = aj.Inertia.box(1.0, 0.1, 0.2, 0.3), aj.Pose.translation(0.1, 0.2, -0.3)
    mech.add_body("base", joint=Revolute((0, 0, 1)), inertia=solid)
    for side in ("left", "right"):
        parent = "base"
        for k in range(10):
            mech.add_body(f"{side}{k}", parent, Revolute((0, 1, 0)), away, solid)
            parent = f"{side}{k}"
    return mech


def rows(model, quantity):
    rng = np.random.default_rng(3)
    count = 3 if "derivatives" in quantity else 1
    return tuple(rng.normal(size=(STATES, model.nv)).astype(model.dtype) for _ in range(count))


@pytest.mark.parametrize(
    ("dtype", "quantity"),
    [
        ("float64", INVERSE),
        ("float64", "inverse_mass_matrix"),
        ("float32", "inverse_mass_matrix"),
        pytest.param("float64", FORWARD, marks=pytest.mark.slow),
    ],
)
def test_states_of_a_batch_are_what_they_are_alone(mechanism, dtype, quantity):
    model = mechanism.compile(form="kernels", dtype=dtype)
    program, given = model.program(quantity), rows(model, quantity)
    assert program.code.apart.parts.alone
    assert program.code.target.width > 1
    made = model.evaluate(quantity, given, np.full((STATES, program.size), np.nan, dtype))
    alone = np.array([model.evaluate(quantity, tuple(x[k] for x in given)) for k in range(STATES)])
    np.testing.assert_allclose(made, alone, rtol=0, atol=100 * np.finfo(dtype).eps * np.abs(alone).max())
    assert np.array_equal(made, model.evaluate(quantity, given, threads=2))


def test_what_is_not_finite_is_found(mechanism):
    model = mechanism.compile(form="kernels")
    program, given = model.program(INVERSE), rows(model, INVERSE)
    lengths, width = [*(n for _, n in program.inputs), program.size], program.code.target.width
    call = program.code.bind_rows(lengths, program.numbers, width)
    out = np.zeros((STATES, program.size))
    assert call(STATES, *given, out) == 1
    for state in (0, 7, STATES - 1):
        wild = [x.copy() for x in given]
        wild[1][state] = 1e200  # whose square is too large
        assert call(STATES, *wild, out) == 0
        assert not np.isfinite(out[state]).all()
        assert np.isfinite(np.delete(out, state, axis=0)).all()


def test_what_the_second_part_reads_is_moved(mechanism):
    model = mechanism.compile(form="kernels")
    schedule = model.program("inverse_mass_matrix").trace.schedule
    apart, whole = Apart(schedule, wanted=True), Apart(schedule, wanted=False)
    assert 0 < 8 * len(apart.windows) < apart.row
    assert (apart.room(1), apart.room(8)) == (apart.row, 16 * apart.row)
    assert whole.room(8) == 8 * apart.row
    assert whole.words is schedule.words
    unparted = Apart(model.program("forward_dynamics").trace.schedule, wanted=True)  # has no columns
    assert not unparted.parts.alone


def test_sums_in_rows_begin_with_zeros_in_every_call():
    model = aj.gallery.revolute_chain(5).compile(form="kernels")
    code = model.program("energy").code
    assert np.array_equal(code.apart.words_onto_zeros, code.apart.words)
    state = np.full(5, 0.3), np.full(5, 0.2)
    assert model.energy(*state) == model.energy(*state)
