"""Operation counts: the six-hinge chain of the papers, and straight lines for chains of any length."""

from pathlib import Path

import pytest

import anyjoint as aj
from anyjoint import joints, surfaces
from anyjoint.mechanism.gallery import (
    board_on_spline_surface,
    revolute_chain,
    stewart_platform,
    tensegrity,
    torus_chain,
    torus_chain_on_spline,
    windmill,
)
from bench import models, ours
from bench.op_counts import CHAINS, PAPERS, QUANTITIES, forward_count, growth, inverse_count

# (additions, multiplications) that must not be exceeded again, once reached.
REACHED = {
    ("inverse", "generic"): (356, 413),
    ("forward", "generic"): (672, 841),
    ("inverse", "simple"): (170, 199),
    ("forward", "simple"): (325, 405),
}
ROBOTS = Path(__file__).parents[1] / "data" / "robots"
# All operations of robots, of large trees and of a joint with much inside: mechanism -> quantity -> count.
MOST = {
    "UR5": (lambda: robot("UR5"), {"forward_dynamics": 594, "inverse_dynamics": 342, "mass_matrix": 185}),
    "Panda": (lambda: robot("Panda"), {"forward_dynamics": 1_643, "inverse_dynamics": 725, "mass_matrix": 615}),
    "ANYmal": (lambda: robot("ANYmal"), {
        "forward_dynamics": 3_511, "inverse_dynamics": 1_559, "mass_matrix": 780, "body_poses": 431,
    }),
    "Talos": (lambda: robot("Talos"), {
        "forward_dynamics": 9_020, "inverse_dynamics": 3_896, "mass_matrix": 3_516,
    }),
    "iCub": (lambda: robot("iCub"), {
        "forward_dynamics": 9_588, "inverse_dynamics": 4_050, "mass_matrix": 4_933,
    }),
    "Stewart platform": (stewart_platform, {"inverse_dynamics": 1_599, "body_poses": 504}),
    "tensegrity": (tensegrity, {"forward_dynamics": 8_811, "inverse_dynamics": 2_775, "body_poses": 744}),
    "100 hinges": (lambda: revolute_chain(100), {
        "forward_dynamics": 39_914, "inverse_dynamics": 16_105, "mass_matrix": 80_464, "energy": 12_174,
        "body_poses": 10_934, "bias_forces": 15_986, "joint_wrenches": 27_621, "gravity_forces": 3_465,
        "momentum": 18_558,
    }),
    "10 tori": (lambda: torus_chain(10), {
        "forward_dynamics": 12_046, "inverse_dynamics": 2_192, "mass_matrix": 14_824, "energy": 1_738,
    }),
    "windmill": (windmill, {
        "forward_dynamics": 23_096, "inverse_dynamics": 5_500, "mass_matrix": 20_009, "energy": 3_479,
    }),
    "board": (board_on_spline_surface, {
        "forward_dynamics": 1_580, "inverse_dynamics": 1_046, "mass_matrix": 621, "energy": 533,
    }),
}  # fmt: skip


def robot(name):
    return ours.mechanism(models.load(ROBOTS / f"{name}.json"))


@pytest.mark.parametrize("name", MOST)
def test_no_count_has_grown(name):
    make, most = MOST[name]
    model = make().compile()
    found = {quantity: model.op_count(quantity).total for quantity in most}
    assert {quantity: count for quantity, count in found.items() if count > most[quantity]} == {}


def test_kernels_compute_nothing_that_nobody_reads():
    """A base hands nothing in to the ground, and the last links tell nobody how they move: as straight code sees."""
    counts = [robot("ANYmal").compile(form=form).op_count("inverse_dynamics").total for form in ("kernels", "straight")]
    assert counts == [1_559, 1_559]


def test_links_hand_in_no_more_than_their_parents_read():
    """The first ones feel little of what is further out, and those behind them compute just that."""
    forms = ("kernels", "straight")
    counts = [torus_chain_on_spline().compile(form=form).op_count("forward_dynamics").total for form in forms]
    assert counts == [9_455, 9_455]


def side_by_side(count):
    """Tori on the ground, each with another on it."""
    ring = surfaces.Torus(0.2, 0.05)
    mech, joint = aj.Mechanism("side by side"), joints.SurfaceSurface(ring, ring, twist=1.5)
    for k in range(count):
        lower = mech.add_body(f"lower {k}", None, joint, inertia=aj.Inertia.torus(1.0, 0.2, 0.05))
        mech.add_body(f"upper {k}", lower, joint, inertia=aj.Inertia.torus(1.0, 0.2, 0.05))
    return mech


@pytest.mark.parametrize("quantity", ["forward_dynamics", "inverse_dynamics"])
def test_limbs_stay_in_straight_code_where_they_become_lanes(quantity):
    assert side_by_side(4).compile().program(quantity).trace.form == "straight"


def test_links_of_chains_and_of_very_wide_trees_are_looped_over():
    assert torus_chain(8).compile().program("forward_dynamics").trace.form == "kernels"
    assert side_by_side(12).compile().program("forward_dynamics").trace.form == "kernels"


@pytest.mark.parametrize(("what", "geometry"), REACHED)
def test_six_hinges_need_fewer_operations_than_any_algorithm_of_the_papers(what, geometry):
    count = (inverse_count if what == "inverse" else forward_count)(revolute_chain(6, geometry))
    adds, muls = REACHED[what, geometry]
    assert count.add <= adds
    assert count.mul <= muls
    assert all(count.add < a and count.mul < m for a, m in PAPERS[what, geometry].values())
    assert count.trig == 12


@pytest.mark.parametrize("chain", CHAINS)
@pytest.mark.parametrize("quantity", QUANTITIES)
def test_counts_grow_along_a_straight_line(chain, quantity):
    found = growth(chain, quantity)
    slope, _ = found.line
    assert found.residual < 0.02 * slope * found.sizes[-1]
