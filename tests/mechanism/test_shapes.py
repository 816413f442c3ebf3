"""Solids of revolution are closed, have the volume of their profile, and refuse what is none."""

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import shapes

CUP = [(0, 0), (0.3, 0), (0.4, 0.5), (0.35, 0.5), (0.25, 0.1), (0, 0.1)]


def test_a_cylinder_by_its_profile():
    """Prisms of many sides: volume and inertia tend to those of the cylinder as sectors^-2."""
    made = shapes.revolved([(0, -0.1), (0.2, -0.1), (0.2, 0.1), (0, 0.1)], sectors=200)
    wanted = aj.Inertia.cylinder(2.0, 0.2, 0.2)
    assert made.volume == pytest.approx(np.pi * 0.2**2 * 0.2, rel=2e-4)
    assert np.allclose(made.inertia(2.0).tensor, wanted.tensor, rtol=4e-4, atol=1e-12)


def test_a_cup_holds_what_is_between_its_walls():
    """By Guldin: 2 pi r of the centroid times the area; of a polygon with n sides sin(2 pi / n) n / (2 pi) of that."""
    r, z = np.array(CUP).T
    cross = r * np.roll(z, -1) - np.roll(r, -1) * z
    moment = ((r + np.roll(r, -1)) * cross).sum() / 6  # area times the radius of its centroid
    share = np.sin(2 * np.pi / 36) * 36 / (2 * np.pi)
    assert shapes.revolved(CUP, sectors=36).volume == pytest.approx(2 * np.pi * moment * share, rel=1e-12)
    assert shapes.revolved(CUP[::-1], sectors=36).volume == pytest.approx(2 * np.pi * moment * share, rel=1e-12)


@pytest.mark.parametrize(("profile", "options", "words"), [
    ([(0, 0), (0, 1)], {}, "at least three points"), ([1, 2, 3], {}, "at least three points"),
    ([(0, 0), (1, np.nan), (0, 1)], {}, "at least three points"), ([(0.1, 0), (1, 0), (0, 1)], {}, "lie on the axis"),
    ([(0, 0), (-1, 0), (0, 1)], {}, "lie on the axis"), (CUP, {"sectors": 2}, "at least 3"),
])  # fmt: skip
def test_what_is_no_profile(profile, options, words):
    with pytest.raises(aj.InputError, match=words):
        shapes.revolved(profile, **options)
