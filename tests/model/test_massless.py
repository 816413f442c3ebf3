"""Massless links that move: everything but forward dynamics works, and that says which body it is."""

import subprocess
from contextlib import nullcontext

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import joints
from anyjoint.quantity.formulations import FORMULATIONS
from dynamics.support import close

Q, V, A = [0.3, 0.4], [1.0, -2.0], [0.5, 0.7]


def arm():
    mech = aj.Mechanism("arm")
    solid = aj.Inertia.box(1, 0.1, 0.2, 0.3).moved(aj.Pose.translation(0, 0, 0.5))
    mech.add_body("upper", joint=joints.Revolute((0, 1, 0)), inertia=solid)
    mech.add_body("tip", "upper", joints.Revolute((1, 0, 0)), aj.Pose.translation(0, 0, 1))
    return mech


def test_all_but_forward_dynamics():
    model = arm().compile()
    assert not model.is_regular
    assert model.formulation == "none"
    assert model.body_poses(Q).shape == (2, 4, 4)
    M = model.mass_matrix(Q)
    assert M[0, 0] > 0
    assert not M[1].any()
    assert close(model.inverse_dynamics(Q, V, A), M @ A + model.bias_forces(Q, V), 1e-14)
    assert np.isfinite(model.energy(Q, V)).all()


@pytest.mark.parametrize("algorithm", ["auto", *FORMULATIONS])
def test_forward_dynamics_names_the_body(algorithm):
    with pytest.raises(aj.ModelError, match=r"forward dynamics: .*\n.*body 'tip', coordinate 'angle': .* no inertia"):
        arm().compile(algorithm=algorithm).forward_dynamics(Q, V)


@pytest.mark.parametrize("tilt", [0.0, 0.3, 0.9, 1.7])
def test_free_bodies_lend_no_inertia(tilt):
    """What is left of theirs by the free joint is rounding, which was taken for inertia."""
    mech = aj.Mechanism("below")
    place, solid = aj.Pose.translation(-0.2, -0.4, 0.3) @ aj.Pose.rpy(tilt, 1.7, -1.4), aj.Inertia.box(3, 0.1, 0.2, 0.3)
    mech.add_body("rod", joint=joints.Revolute((-0.5, -0.2, -0.6)), placement=place)
    mech.add_body("flying", "rod", joints.FreeQuaternion(), place, solid)
    mech.add_body("beside", "flying", joints.FreePlanar(), place, solid.moved(aj.Pose.translation(0.1, -0.4, -0.1)))
    with pytest.raises(aj.ModelError, match=r"body 'rod', coordinate 'angle': .* no inertia"):
        mech.compile().forward_dynamics(mech.neutral, np.zeros(mech.nv))


@pytest.mark.parametrize("call", [
    lambda model: model.simulate(Q, duration=0.1),
    lambda model: model.step(Q, V),
    lambda model: model.hybrid_dynamics(Q, V, A, A, ["upper"]),
    lambda model: model.op_count("forward_dynamics"),
])  # fmt: skip
def test_so_does_all_that_needs_it(call):
    with pytest.raises(aj.ModelError, match="body 'tip', coordinate 'angle'"):
        call(arm().compile())


def test_only_what_divides_by_the_mass_matrix_needs_it():
    """The flag of quantities, by which exports leave them out, says which of them refuse."""
    model = arm().compile()
    for quantity in model.quantities.values():
        if quantity.concerns(model.mechanism):
            with pytest.raises(aj.ModelError, match="moves no inertia") if quantity.divides else nullcontext():
                model.program(quantity)


def test_exports_leave_it_out(tmp_path):
    model = arm().compile()
    names = {path.name for path in model.export("c", tmp_path)}
    assert {"arm_inverse_dynamics.c", "arm_mass_matrix.c"} < names
    assert not names & {"arm_forward_dynamics.c", "arm_step.c"}
    command = ["gcc", "-std=c99", *map(str, tmp_path.glob("*.c")), "-o", str(tmp_path / "main"), "-lm"]
    subprocess.run(command, check=True)
    said = subprocess.run([str(tmp_path / "main")], capture_output=True, text=True, check=True).stdout
    assert said.count("\n") == 3, "an example that holds it"
    with pytest.raises(aj.ModelError, match="moves no inertia"):
        model.export("c", tmp_path, steps=["bdf1"])


def test_pages_pose_it(tmp_path):
    model = arm().compile()
    text = model.to_html(tmp_path / "arm.html").read_text()
    assert model.to_html(tmp_path / "arm.html", live=False).read_text() == text
    assert '"still": true' in text
    assert "bodies, 2 degrees of freedom, posed" in text


def test_a_prescribed_joint_may_be_massless():
    a, tau = arm().compile().hybrid_dynamics(Q, V, [0.0, 0.0], A, ["tip"])
    assert np.isfinite(a).all()
    assert np.isfinite(tau).all()
    assert a[1] == A[1]


def test_parameters_may_change_or_mend_it():
    mech = arm()
    model = mech.compile()
    model.parameters["upper/mass"] = 2.0
    model.parameters.set({"tip/mass": 1.0, "tip/tensor": np.diag([0.1, 0.1, 0.1])})
    assert model.is_regular
    assert np.isfinite(model.forward_dynamics(Q, V)).all()
    with pytest.raises(aj.InputError, match="moves no inertia"):
        model.parameters.set({"tip/mass": 0.0, "tip/tensor": np.zeros((3, 3))})


@pytest.mark.parametrize(("mass", "regular"), [(0.0, False), (1.0, True)])
def test_a_leader_may_move_the_inertia_of_its_followers_alone(mass, regular):
    mech = aj.Mechanism("gear")
    mech.add_body("crank", joint=joints.Revolute())
    solid = aj.Inertia.box(mass, 1, 1, 1) if mass else None
    mech.add_body("wheel", joint=joints.Coupled(joints.Revolute(), 3.0, "crank"), inertia=solid)
    model = mech.compile()
    assert model.is_regular == regular
    if regular:
        assert close(model.forward_dynamics([0.1], [0.2], [3.0]), [2.0], 1e-14)
