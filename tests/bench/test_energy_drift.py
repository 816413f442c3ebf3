"""What the page on energy says about bodies that turn freely, over a shorter time."""

import pytest

from anyjoint import gallery
from bench.energy_drift import drift, moving, start


def lost(name, method, duration=2.0):
    return float(drift(*start(name, gallery.every_kind()[name]), method, duration))


def test_quaternions_keep_the_energy_of_a_free_body_better_than_rotation_vectors():
    """Steps go along the group, and velocities are those of the body."""
    assert lost("free-quaternion", "semi-implicit-euler") < 0.2 * lost("free", "semi-implicit-euler")


@pytest.mark.parametrize(("method", "most"), [("rk4", 1e-8), ("implicit-midpoint", 1e-9)])
def test_better_steppers_keep_it(method, most):
    assert lost("spherical-quaternion", method) < most


def test_every_kind_that_moves_is_in_the_table():
    assert set(moving()) == set(gallery.every_kind()) - {"fixed"}
