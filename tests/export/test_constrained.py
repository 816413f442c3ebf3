"""Constrained mechanisms of the gallery in C and JavaScript: dynamics, steps, multipliers, errors as in Python."""

import numpy as np
import pytest

from anyjoint.mechanism import gallery
from tests.export.generated import in_c, in_javascript

ASKED = ("forward_dynamics", "constraint_multipliers", "constraint_errors", "step")
# Loops, functions of coordinates, wheels that roll, shared coordinates; then those that take a compiler longer.
QUICK = ("differential", "four_bar", "four_bar_knee", "rolling_wheels")
LONG = (
    "arm", "bicycle", "bracelet", "chain_of_four_bars", "delta_robot", "peaucellier", "scissor_lift", "slider_crank",
    "squeezer", "stewart_platform", "tensegrity", "tongs_with_fish",
)  # fmt: skip
CASES = [*QUICK, *(pytest.param(name, marks=pytest.mark.slow) for name in LONG)]


def programs(name):
    """What concerns a mechanism, each with inputs near its start: a little off, so that steps have to correct."""
    mech, rng = getattr(gallery, name)(), np.random.default_rng(0)
    model, (q, v) = mech.compile(), mech.start
    v, tau = v + 1e-3 * rng.normal(size=mech.nv), rng.normal(size=mech.nv)
    rows = {"q": q, "v": v, "tau": tau, "t": [0.01], "dt": [1e-3]}
    for called in ASKED:
        if model.quantities[called].concerns(mech):
            program = model.program(called)
            given = [np.array(rows[name], dtype=float) for name, _ in program.inputs]
            yield called, program, given, np.ravel(program(*given))


@pytest.mark.parametrize("name", CASES)
def test_gallery(name, tmp_path):
    for called, program, given, want in programs(name):
        room = 1e-11 * max(1.0, np.abs(want).max())  # compilers round otherwise, and solves lose digits
        for language in (in_c, in_javascript):
            got = language(program, given, len(want), tmp_path)
            assert np.abs(got - want).max() <= room, (called, language.__name__)
