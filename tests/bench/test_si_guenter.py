"""Si & Guenter's Table 1 by their two methods [SG section 4]: what each costs, and that both are machine code alone."""

import numpy as np
import pytest

from anyjoint import gallery
from bench import si_guenter
from bench.pages import DOCS

# Operations that must not be exceeded again, once reached: Method I, Method II, auto.
REACHED = {"RC20": (10_326, 16_019, 7_607), "TC10": (15_390, 17_394, 12_050)}


@pytest.mark.parametrize("name", REACHED)
def test_method_two_knows_no_zeros_and_costs_more_than_method_one(name):
    one, two, auto = (si_guenter.measured(name, algorithm, 0).operations for algorithm in si_guenter.METHODS)
    assert all(found <= reached for found, reached in zip((one, two, auto), REACHED[name], strict=True))
    assert auto < one < two


def test_the_numeric_half_is_one_pair_of_kernels_for_joints_of_as_many_coordinates():
    """Chains of any length, at the ground and behind other links: two kernels each, whatever the joints are."""
    models = [gallery.revolute_chain(n).compile("recursive-mixed") for n in (6, 12)]
    first, second = (len(model.program("forward_dynamics").trace.schedule.kernels) for model in models)
    assert first == second


def test_method_two_steps_and_takes_batches_like_any_machine_code():
    mech = gallery.torus_chain(2)
    q, v = (np.array(x) for x in mech.start)
    model, other = mech.compile(algorithm="recursive-mixed"), mech.compile()
    batch = np.stack([q, q + 0.01, q - 0.02])
    got, want = (m.forward_dynamics(batch, np.tile(v, (3, 1))) for m in (model, other))
    assert got == pytest.approx(want, rel=1e-11, abs=1e-11)
    assert model.step(q, v, dt=1e-3)[1] == pytest.approx(other.step(q, v, dt=1e-3)[1], rel=1e-11, abs=1e-13)


def test_the_page_has_a_row_for_every_method():
    text = (DOCS / "si-guenter.md").read_text(encoding="utf8")
    assert all(f"| **{label}** |" in text for label in si_guenter.METHODS.values())
