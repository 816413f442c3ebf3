"""From answers and times to verdicts: deviations, goals, tables, the page."""

import numpy as np
import pytest

from bench import check, goals, report, run, table


def results() -> dict:
    """A run that never happened: two models, one peer without an answer."""
    ours = {
        "version": "0",
        "times": {"forward_dynamics": 100.0, "inverse_dynamics": 50.0, "mass_matrix": 80.0},
        "errors": {"forward_dynamics": 1e-13},
        "operations": {"forward_dynamics": 1234},
        "batch": {"float64": {"forward_dynamics": 25.0}, "float32": {"forward_dynamics": 12.0}},
        "two_threads": 13.0,
        "python_call": {"forward_dynamics": 2000.0},
        "compile": {"cold": 0.5, "cached": 0.02},
    }
    pinocchio = {"version": "4", "times": {"forward_dynamics": 290.0, "inverse_dynamics": 70.0}, "errors": {}}
    engines = {"pinocchio-gcc": pinocchio, "mujoco-c": {"absent": "not installed"}, "anyjoint": ours}
    torus = {"nb": 20, "nq": 78, "nv": 78, "engines": {"anyjoint": {**ours, "times": {"forward_dynamics": 60.0}}}}
    found = {
        "machine": {"cpu": "a processor", "cores": 2, "date": "today"},
        "settings": {"states": 64, "rounds": 1, "tolerance": 1e-9},
        "models": {"RC100": {"nb": 100, "nq": 100, "nv": 100, "engines": engines}, "TC20": torus},
    }
    found["goals"] = [goal.record() for goal in goals.evaluate(found)]
    return found


def test_goals_compare_with_the_right_peer_in_the_right_direction():
    verdicts = {(g["goal"], g["model"]): (round(g["value"], 3), g["met"]) for g in results()["goals"]}
    assert verdicts["one state, forward dynamics, over Pinocchio C++", "RC100"] == (2.9, False)
    assert verdicts["one state, inverse dynamics, over the best peer", "RC100"] == (1.4, False)
    assert verdicts["batch of 4096, float64, over Pinocchio C++", "RC100"] == (11.6, False)
    assert verdicts["two threads over one", "RC100"] == (1.923, True)
    assert verdicts["overhead of a call from Python, microseconds", "RC100"] == (1.9, True)
    assert verdicts["compile from the cache, milliseconds", "RC100"] == (20.0, True)
    assert verdicts["cost per coordinate, TC20 over RC100", "TC20"] == (0.769, True)


def test_the_page_and_the_tables_show_what_was_measured_and_what_was_not():
    found = results()
    page = report.page(found)
    for text in ("**2.9x**", "mujoco-c: not installed (RC100)", "**RC100 2.9**", "**0.00006**", "1,234"):
        assert text in page
    shown = table.model_table("RC100", found["models"]["RC100"])
    assert "290 (2.9x)" in shown
    assert "not installed" in shown
    assert "0 of 1" in table.goal_table(found["goals"])


def test_deviation_is_relative_to_each_state_and_never_hides_a_nan():
    reference = np.array([[1.0, 2.0], [1e-6, 0.0]])
    assert check.relative_error(reference + [[0, 2e-9], [1e-12, 0]], reference) == pytest.approx(1e-6)
    assert check.relative_error(np.full((2, 2), np.nan), reference) == np.inf
    assert check.relative_error(reference[:1], reference) == np.inf


def test_the_best_of_all_rounds_is_kept():
    old, new = {"a": 3.0, "b": {"c": 1.0}}, {"a": 2.0, "b": {"c": 4.0}}
    assert run.smallest(None, old) == old
    assert run.smallest(old, new) == {"a": 2.0, "b": {"c": 1.0}}
