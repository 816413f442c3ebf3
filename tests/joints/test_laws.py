"""Laws that every joint obeys, at hundreds of random configurations, near-singular ones included."""

import numpy as np
import pytest

from anyjoint.codegen.function import compile_function
from anyjoint.symbolic.simplify import merge_identities
from tests.joints.everything import EVERYTHING as KINDS
from tests.joints.trace import Trace, traced
from tests.joints.zoo import configurations

MANY = 300
FEW = 4
STEP = 1e-30  # of complex differentiation

MOVING = [name for name, joint in KINDS.items() if joint.nv]


def many(name, count=MANY):
    q, v = zip(*configurations(KINDS[name], count, seed=7), strict=True)
    return np.array(q), np.array(v)


def vee(M):
    return np.array([M[2, 1], M[0, 2], M[1, 0], M[0, 3], M[1, 3], M[2, 3]])


def closeness(a, b):
    return np.abs(a - b).max(initial=0.0) / max(1.0, np.abs(b).max(initial=0.0))


def twist_along(trace: Trace, q, v):
    """vee(G^-1 dG/dt) along v by a complex step, (6, count)."""
    rate = trace.at(trace.rate, q, v).T
    stepped = trace.at(trace.G, q + 1j * STEP * rate, v + 0j)
    R, dR = stepped[:9].real.reshape(3, 3, -1), stepped[:9].imag.reshape(3, 3, -1) / STEP
    spin = np.einsum("kin,kjn->ijn", R, dR)
    slide = np.einsum("kin,kn->in", R, stepped[9:].imag / STEP)
    return np.concatenate([[spin[2, 1], spin[0, 2], spin[1, 0]], slide])


@pytest.mark.parametrize("name", KINDS)
def test_the_pose_is_a_rigid_motion(name):
    trace = traced(name)
    R = trace.at(trace.G, *many(name))[:9].reshape(3, 3, -1)
    assert np.abs(np.einsum("ikn,jkn->ijn", R, R) - np.eye(3)[:, :, None]).max() < 1e-13
    assert np.abs(np.linalg.det(R.transpose(2, 0, 1)) - 1).max() < 1e-13


@pytest.mark.parametrize("name", MOVING)
def test_the_jacobian_is_the_complex_step_derivative_of_the_pose(name):
    """[SG eq. 1, 9]"""
    trace, (q, v) = traced(name), many(name)
    S = trace.at(trace.S, q, v).reshape(6, -1, len(q))
    for k in range(S.shape[1]):
        unit = np.zeros_like(v)
        unit[:, k] = 1
        expected = twist_along(trace, q, unit)
        assert closeness(S[:, k], expected) < 1e-12


@pytest.mark.parametrize("name", MOVING)
def test_c_is_the_derivative_of_the_twist_at_constant_velocity(name):
    """[SG eq. 12]"""
    trace, (q, v) = traced(name), many(name)
    rate = trace.at(trace.rate, q, v).T
    S = trace.at(trace.S, q + 1j * STEP * rate, v + 0j).reshape(6, -1, len(q))
    expected = np.einsum("ikn,nk->in", S.imag / STEP, v)
    assert closeness(trace.at(trace.c, q, v), expected) < 1e-12


@pytest.mark.parametrize("name", MOVING)
def test_the_jacobian_has_full_rank_inside_the_domain(name):
    trace, (q, v) = traced(name), many(name)
    S = trace.at(trace.S, q, v).reshape(6, -1, len(q)).transpose(2, 0, 1)
    singular = np.linalg.svd(S, compute_uv=False)
    assert (singular[:, -1] > 1e-7 * singular[:, 0]).all()


@pytest.mark.parametrize("name", KINDS)
def test_floats_agree_with_expressions(name):
    joint, trace = KINDS[name], traced(name)
    q, v = many(name, FEW)
    G, S, c = (trace.at(outputs, q, v) for outputs in (trace.G, trace.S, trace.c))
    for k in range(FEW):
        rates = v[k].tolist()
        piece = joint.motion(q[k].tolist(), rates).piece(rates)
        pose = joint.pose(q[k].tolist())
        assert closeness(np.array([*pose.R.ravel(), *pose.p], float), G[:, k]) < 1e-13
        assert closeness(np.array(piece.S, float).ravel(), S[:, k]) < 1e-12
        assert closeness(np.array(piece.c, float), c[:, k]) < 1e-11


@pytest.mark.parametrize("name", MOVING)
def test_floats_take_complex_steps(name):
    joint = KINDS[name]
    for q, v in configurations(joint, FEW, seed=3):
        rate = joint.rate(q.tolist(), v.tolist())
        stepped = np.asarray(joint.pose([complex(x, STEP * r) for x, r in zip(q, rate, strict=True)]).matrix, complex)
        twist = vee(np.linalg.inv(stepped.real) @ stepped.imag / STEP)
        assert closeness(np.array(joint.jacobian(q.tolist()), float) @ v, twist) < 1e-12


@pytest.mark.parametrize("name", MOVING)
def test_compiled_and_simplified_values_agree_with_expressions(name):
    trace, (q, v) = traced(name), many(name, 64)
    outputs = [*trace.G, *trace.S, *trace.c]
    numbers = list(trace.parameters)
    inputs = [x for x in (trace.q, trace.v, numbers) if x]
    function = compile_function(inputs, merge_identities(outputs))
    values = [x for x in (q, v, np.tile(list(trace.parameters.values()), (len(q), 1))) if x.size]
    # Next to a singular place (a folded four-bar) rounding is amplified, differently in another order of operations.
    assert closeness(np.asarray(function(*values)).T, trace.at(outputs, q, v)) < 1e-9
