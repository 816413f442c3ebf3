"""Programs are shared by joints that compute the same, and by no others, whatever objects say about themselves."""

import functools
import types
from dataclasses import dataclass, field

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import joints
from anyjoint.joints.parameters import signature
from anyjoint.simulate import Wrench


class Slope:
    """A callable that calls itself equal to every other."""

    def __init__(self, k):
        self.k = k

    def __call__(self, q):
        return aj.Pose.translation(self.k * aj.sin(q[0]), 0, 0) @ aj.Pose.rotation_x(q[0])

    def pose(self, q):
        return self(q)

    def __eq__(self, other):
        return isinstance(other, Slope)

    def __hash__(self):
        return 1


@dataclass(frozen=True)
class Hidden:
    """Compares by its fields, computes with one that is left out, and with what is no field at all."""

    name: str
    k: float = field(compare=False)

    def __post_init__(self):
        object.__setattr__(self, "shift", self.k / 2)

    def __call__(self, q):
        return Slope(self.k)(q) @ aj.Pose.translation(0, self.shift, 0)


def plain(k):
    def own(q):
        return Slope(k)(q)

    return own


def with_default(k):
    return lambda q, k=k: Slope(k)(q)


def slope_k(q):
    return Slope(K)(q)  # noqa: F821  (each copy has globals of its own)


def with_globals(k):
    return types.FunctionType(slope_k.__code__, {"Slope": Slope, "K": k})


WAYS = {
    "callable objects": Slope,
    "bound methods": lambda k: Slope(k).pose,
    "partial": lambda k: functools.partial(lambda k, q: Slope(k)(q), k),
    "partial of equal objects": lambda k: functools.partial(Slope(k)),
    "closures": plain,
    "defaults": with_default,
    "globals": with_globals,
    "hidden fields": lambda k: Hidden("same", k),
}


def chain(functions):
    mech = aj.Mechanism("chain")
    for k, function in enumerate(functions):
        inertia = aj.Inertia.box(1.0, 0.3, 0.2, 0.1)
        mech.add_body(f"body {k}", mech.bodies[-1] if k else None, aj.joint(dof=1)(function), inertia=inertia)
    return mech


@pytest.mark.parametrize("form", ["straight", "kernels"])
@pytest.mark.parametrize("way", WAYS)
def test_different_functions_do_not_share_a_program(way, form):
    mech = chain([WAYS[way](0.5), WAYS[way](2.0), WAYS[way](-1.0)])
    q = np.array([0.3, -0.4, 0.9])
    want = np.array([pose.matrix for pose in mech.poses(q)], dtype=float)
    assert np.abs(mech.compile(form=form).body_poses(q) - want).max() < 1e-14


def test_a_function_shares_its_program_with_itself():
    one, other = Slope(1.0), Slope(1.0)
    joint = aj.joint(dof=1)
    assert signature(joint(one)) == signature(joint(one))
    assert signature(joint(one.pose)) == signature(joint(one.pose))
    assert signature(joint(one)) != signature(joint(other))
    assert signature(joint(one.pose)) != signature(joint(other.pose))
    assert len({signature(joints.Helical((0, 0, 1), pitch=p)) for p in (0.1, 0.2)}) == 1
    assert len({signature(joints.Helical((0, 0, 1), pitch=p), whole=True) for p in (0.1, 0.2)}) == 2


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (0.0, -0.0),
        (1, 1.0),
        (1, True),
        (np.array([1.0]), np.array([1.0]).view(np.int64)),
        (np.array([Slope(1)], dtype=object), np.array([Slope(1)], dtype=object)),
        ((1.0, 2.0), [1.0, 2.0]),
    ],
)
def test_data_are_compared_to_the_last_bit(a, b):
    assert signature(a) != signature(b)
    assert signature(a) == signature(a)


def test_forces_that_call_themselves_equal_do_not_share_code():
    class Push:
        def __init__(self, size):
            self.size = size

        def __call__(self, t):
            return self.size + 0 * t

        def __eq__(self, other):
            return isinstance(other, Push)

        def __hash__(self):
            return 1

    mech = aj.Mechanism("sled")
    mech.add_body("sled", joint=joints.Prismatic((1, 0, 0)), inertia=aj.Inertia.point(1.0))
    model = mech.compile()
    runs = [model.simulate([0.0], [0.0], 1.0, forces=[Wrench("sled", force=(Push(f), 0, 0))]) for f in (1.0, 5.0)]
    assert [run.q[-1, 0] for run in runs] == pytest.approx([0.5, 2.5], rel=1e-9)
