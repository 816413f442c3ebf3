"""Operation counts: the six-hinge chain of the papers, and straight lines for chains of any length."""

from pathlib import Path

import pytest

from anyjoint.mechanism.gallery import (
    board_on_spline_surface,
    revolute_chain,
    stewart_platform,
    tensegrity,
    torus_chain,
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
    "Stewart platform": (stewart_platform, {"inverse_dynamics": 1_599, "body_poses": 636}),
    "tensegrity": (tensegrity, {"inverse_dynamics": 2_925, "body_poses": 906}),
    "100 hinges": (lambda: revolute_chain(100), {
        "forward_dynamics": 40_007, "inverse_dynamics": 16_145, "mass_matrix": 80_476, "energy": 15_922,
        "body_poses": 10_946, "bias_forces": 16_018, "joint_wrenches": 27_633, "gravity_forces": 3_483,
        "momentum": 18_570,
    }),
    "10 tori": (lambda: torus_chain(10), {
        "forward_dynamics": 12_050, "inverse_dynamics": 3_164, "mass_matrix": 14_824, "energy": 1_738,
    }),
    "windmill": (windmill, {
        "forward_dynamics": 23_877, "inverse_dynamics": 7_264, "mass_matrix": 20_040, "energy": 4_157,
    }),
    "board": (board_on_spline_surface, {
        "forward_dynamics": 1_580, "inverse_dynamics": 1_073, "mass_matrix": 621, "energy": 533,
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
