"""Guenter & Lee's Table 1 and figures 6 to 8: what they print is not exceeded, and curves have the shapes they say."""

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import gallery, joints
from bench import figure_8, guenter_lee
from bench.op_counts import GEOMETRY, PAPERS
from bench.pages import DOCS

# (additions, multiplications) that must not be exceeded again, once reached.
REACHED = {
    ("simple", "inverse"): (170, 199),
    ("simple", "forward"): (416, 564),
    ("generic", "inverse"): (356, 413),
    ("generic", "forward"): (987, 1238),
}


@pytest.mark.parametrize("geometry", GEOMETRY)
def test_lagrangian_needs_fewer_operations_than_they_print(geometry):
    found = guenter_lee.six_hinges(geometry)
    for what in ("inverse", "forward"):
        adds, muls = REACHED[geometry, what]
        assert found[what].add <= adds
        assert found[what].mul <= muls
        (theirs,) = [x for name, x in PAPERS[what, geometry].items() if name.startswith("Guenter & Lee")]
        assert found[what].add < theirs[0]
        assert found[what].mul < theirs[1]
    # The excess of the printed form is the symmetric part of phi and the axes of the world.
    assert found["inverse, printed"].total > 2 * found["inverse"].total


def test_inverse_dynamics_is_linear_where_it_is_factored():
    """Figure 6, hinges: lines through the counts, and a parabola that no line follows."""
    for form in ("`lagrangian`", "eq. 13 as printed"):
        assert guenter_lee.missed(guenter_lee.growth("hinges", guenter_lee.inverse, form)[3:], 1) < 0.002
    sum_over_all = guenter_lee.growth("hinges", guenter_lee.inverse, "eq. 6, not factored")[3:]
    assert guenter_lee.missed(sum_over_all, 1) > 0.01
    assert guenter_lee.missed(sum_over_all, 2) < 1e-9  # exactly n^2


def test_equations_of_motion_grow_with_the_square():
    """Figure 7, tori."""
    for form in ("`lagrangian`", "eq. 13 as printed"):
        assert guenter_lee.missed(guenter_lee.growth("tori", guenter_lee.forward, form), 2) < 0.01


def branches():
    """Two arms on a common trunk, and one beside it on the ground."""
    mech = gallery.revolute_chain(6)
    solid = aj.Inertia.box(1.0, 0.1, 0.2, 0.3)
    for arm, root in (("a", mech.bodies[3]), ("b", mech.bodies[5]), ("c", None)):
        parent = root
        for k in range(5):
            place = aj.Pose.translation(0.1, 0.2, 0.3)
            parent = mech.add_body(f"{arm}{k}", parent, joints.Revolute((1, k, 2)), place, solid, stiffness=0.5)
    mech.set_start(np.linspace(-1, 1, mech.nq).tolist())
    return mech


@pytest.mark.parametrize("build", [lambda: gallery.torus_chain(6), branches])
def test_larger_ones_are_kernels_and_solve_by_their_own_cholesky(build):
    mech = build()
    model, other = mech.compile(algorithm="lagrangian"), mech.compile()
    assert model.nv > 18
    assert model.numeric is None
    assert model.formulation == "lagrangian"
    rng = np.random.default_rng(0)
    q, (v, tau) = np.array(mech.start[0]), rng.normal(size=(2, model.nv))
    assert model.forward_dynamics(q, v, tau) == pytest.approx(other.forward_dynamics(q, v, tau), rel=1e-9, abs=1e-9)


def test_a_hundred_coordinates_need_no_more_kernels_than_forty():
    """Compile time follows the kernels: the blocks of Cholesky's method are the same for all lengths."""
    kernels = []
    for n in (48, 96):
        model = gallery.revolute_chain(n).compile(algorithm="lagrangian")
        kernels.append(len(model.program("forward_dynamics").trace.schedule.kernels))
    assert kernels[1] <= kernels[0] < 40
    rng = np.random.default_rng(0)
    q, v, tau = 0.3 * rng.normal(size=(3, 96))
    want = gallery.revolute_chain(96).compile().forward_dynamics(q, v, tau)
    assert model.forward_dynamics(q, v, tau) == pytest.approx(want, rel=1e-8, abs=1e-8 * np.abs(want).max())


def test_a_step_along_the_tangent_leaves_the_wire_and_one_along_the_wire_does_not():
    """Figure 8: off by the square of the step, and not at all."""
    off = []
    for dt in (1 / 60, 1 / 30):
        _, tangent, along = figure_8.both(dt)
        off.append(figure_8.off_the_wire(tangent))
        assert figure_8.off_the_wire(along) < 1e-15
    assert 3.5 < off[1] / off[0] < 5


def test_the_page_shows_tables_and_figures():
    text = (DOCS / "guenter-lee.md").read_text(encoding="utf8")
    for k in (6, 7, 8):
        assert f"guenter-lee-figure-{k}.svg" in text
        assert (DOCS / "_static" / f"guenter-lee-figure-{k}.svg").exists()
    assert "| **987** | **1238** |" in text
