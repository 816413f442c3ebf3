"""The textbook formulas that bench.savings counts against compute the same as ours."""

from unittest.mock import patch

import numpy as np
import pytest

from anyjoint.dynamics import articulated_body
from anyjoint.dynamics.articulated_body import ARTICULATED_BODY
from anyjoint.dynamics.newton_euler import NEWTON_EULER
from anyjoint.mechanism import gallery
from anyjoint.spatial import Pose
from anyjoint.tree import links
from bench import savings
from dynamics.support import State, close

KINDS = ("revolute", "prismatic", "spherical", "surface-surface", "universal", "own")


@pytest.fixture(scope="module")
def state():
    kinds = gallery.every_kind()
    return State(gallery.random_tree(3, n=7, kinds={name: kinds[name] for name in KINDS}))


def test_formulas_with_twists_and_cross_products(state):
    x = np.random.default_rng(0).normal(size=state.nv)
    assert close(state.row(savings.TWIST_FORWARD, tau=x), state.row(ARTICULATED_BODY, tau=x), 1e-10)
    for other in (savings.TWIST_INVERSE, savings.PLAIN_INVERSE):
        assert close(state.row(other, qdd=x), state.row(NEWTON_EULER, qdd=x), 1e-11)


@pytest.mark.parametrize(
    "patches",
    [
        [(links, "link_body", savings.dense_pose)],
        [(links, "link_body", savings.full_inertia), (Pose, "inertia", savings.pass_in_full)],
        [(articulated_body, "unit_columns", lambda S: {})],
    ],
)
def test_programs_without_a_saving(state, patches):
    x = np.random.default_rng(0).normal(size=state.nv)
    wanted = state.row(ARTICULATED_BODY, tau=x), state.row(NEWTON_EULER, qdd=x)
    changed = [patch.object(*each) for each in patches]
    for each in changed:
        each.start()
    try:
        made = state.row(ARTICULATED_BODY, tau=x), state.row(NEWTON_EULER, qdd=x)
    finally:
        for each in changed:
            each.stop()
    assert close(made[0], wanted[0], 1e-9)
    assert close(made[1], wanted[1], 1e-10)


def test_every_saving_saves_where_it_should():
    everything = {chain: savings.per_body(chain, ARTICULATED_BODY).state for chain in ("generic hinge", "simple hinge")}
    for name in ("canonical frames", "elementary rotations", "symmetric storage", "zeros in articulated inertias"):
        assert savings.WITHOUT[name]("generic hinge", ARTICULATED_BODY).state > 1.1 * everything["generic hinge"]
    patterns = savings.WITHOUT["zero and one patterns of numbers"]("simple hinge", ARTICULATED_BODY)
    assert patterns.state > 1.8 * everything["simple hinge"]
