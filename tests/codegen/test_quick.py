"""Machine code that is made quickly says what fast code says, and is kept apart from it."""

import numpy as np
import pytest

from anyjoint.errors import InputError
from anyjoint.mechanism import gallery


@pytest.fixture
def answers(monkeypatch, tmp_path):
    """Accelerations of one state and of a batch, by code that is made as it is said."""
    monkeypatch.setenv("ANYJOINT_CACHE", str(tmp_path / "cache"))

    def answer(wish):
        monkeypatch.setenv("ANYJOINT_CODE", wish)
        mech = gallery.torus_chain(3)
        model, (q, v) = mech.compile(), mech.start
        states = np.random.default_rng(1).uniform(0.9, 1.1, (9, 1))
        return np.vstack([model.forward_dynamics(q, v), model.forward_dynamics(states * q, states * v)])

    return answer


def test_both_agree(answers):
    fast = answers("fast")
    quick = answers("Quick ")
    assert np.abs(quick - fast).max() < 1e-12 * np.abs(fast).max()


def test_code_of_one_kind_is_not_taken_for_the_other(answers, tmp_path):
    counts = []
    for wish in ("fast", "quick", "fast", ""):
        answers(wish)
        counts.append(len(list((tmp_path / "cache").iterdir())))
    assert counts[0] < counts[1] == counts[2] == counts[3]


def test_other_words_are_refused(answers):
    with pytest.raises(InputError, match=r"ANYJOINT_CODE is 'slow'; expected 'fast' or 'quick', or none"):
        answers("slow")
