"""Numbers of programs as expressions in parameters are what setting the parameters makes of them."""

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import joints
from anyjoint.mechanism import gallery
from anyjoint.model.number_map import number_kernel, settable
from anyjoint.symbolic.interpret import evaluate_ids


def _welded():
    mech = aj.Mechanism("welded", gravity=(0.3, 0, -9.81))
    base = mech.add_body("base", joint=joints.FreeQuaternion(), inertia=aj.Inertia.box(2.0, 0.1, 0.2, 0.3))
    place, solid = aj.Pose.translation(0, 0, 0.2) @ aj.Pose.rotation_y(0.3), aj.Inertia.box(1.0, 0.1, 0.1, 0.5)
    upper = mech.add_body("upper", base, joints.Universal(), place, solid, stiffness=2.0, damping=0.1)
    mech.add_body("plate", upper, placement=aj.Pose.translation(0, 0, 0.5), inertia=aj.Inertia.box(0.3, 0.1, 0.1, 0.1))
    return mech


CASES = {
    "welded": (
        _welded,
        {
            "gravity": (0.0, 1.0, -3.0), "upper/mass": 1.7, "upper/com": (0.1, 0.2, -0.3), "plate/mass": 0.9,
            "upper/tensor": [[0.3, 0.01, 0.02], [0.01, 0.25, 0.03], [0.02, 0.03, 0.2]],
            "upper/stiffness": (1.0, 3.0), "upper/rest": (0.1, 0.2),
        },
    ),
    "loop": (gallery.four_bar, {"crank/mass": 0.7, "coupler/com": (0.2, 0.1, 0.3), "gravity": (1.0, 2.0, 3.0)}),
    "rolling": (gallery.rolling_wheels, {"gravity": (0.0, 2.0, -3.0)}),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("quantity", ["forward_dynamics", "inverse_dynamics", "mass_matrix", "energy"])
def test_numbers_are_those_of_a_model_whose_parameters_were_set(name, quantity):
    make, values = CASES[name]
    before, after = make().compile(vary=list(values)), make().compile(vary=list(values))
    for parameter, value in values.items():
        after.parameters[parameter] = value
    program, wanted = before.program(quantity), after.program(quantity).numbers
    kernel = number_kernel(before.workshop, program.trace, settable(before.mechanism, before.vary))
    row = np.concatenate([np.ravel(value) for value in values.values()])
    loaded = {node: float(row[place]) for node, (_, place) in kernel.loads.items()}
    found = evaluate_ids(kernel.graph, [store.node.id for store in kernel.stores], loaded)
    made = program.numbers.copy()
    for store in kernel.stores:
        made[store.offset] = found[store.node.id]
    assert made == pytest.approx(wanted, rel=1e-14, abs=1e-14 * np.abs(wanted).max())
    if quantity != "mass_matrix" or name == "welded":
        assert kernel.stores


def test_what_moves_frames_is_left_out():
    mech = _welded()
    names = ["upper/placement", "upper/mass", "gravity"]
    assert {name: len(row) for name, row in settable(mech, names).items()} == {"upper/mass": 1, "gravity": 3}
    assert settable(gallery.tongs_with_fish(), ["gravity"]) == {}
