"""Cases of the benchmark of constraints: states on them, files that keep every bit, an oracle that agrees."""

import numpy as np

from bench import ours
from bench.constrained_models import anchored, four_bars, load, pinned_chain
from bench.constraints import constrained, dense, error
from bench.constraints_table import goals, line, table


def test_four_bars_agree_with_the_dense_oracle():
    case = four_bars(3)
    model = constrained(case).compile()
    position, velocity = model.constraint_errors(case.q, case.v)
    assert max(np.abs(position).max(), np.abs(velocity).max()) < 1e-15
    assert error(model.forward_dynamics(case.q, case.v, case.tau), dense(model, case)) < 1e-12


def test_files_keep_every_bit(tmp_path):
    case = pinned_chain()
    case = anchored(case, ours.mechanism(case.model).compile().body_poses(case.q[0]))
    case.save(tmp_path / "case.npz")
    again = load(tmp_path / "case.npz")
    assert again.model == case.model
    assert (again.q == case.q).all()
    assert [(row.rows, row.first, row.second) for row in again.held] == [(3, 19, -1)]
    assert (again.held[0].poses == case.held[0].poses).all()


def test_tables_name_misses():
    times = {"anyjoint": 1e3, "anyjoint, batch": 500.0, "anyjoint, free": 400.0, "Pinocchio (clang) LCABA": 2e3}
    found = {
        "operations": 7000, "free operations": 3000, "times": times, "absent": {"Drake": "no wheel"},
        "errors": {"anyjoint": 1e-14, "Pinocchio (clang) LCABA": 3e-07},
    }  # fmt: skip
    results = {"cases": {"ANYmal, 4 feet": found}}
    assert "| 7,000 | 1.00 (1e-14) | 0.50 | 0.40 |  |  | 2.00 (3e-07) |" in table(results)
    assert "**ANYmal 2.0**" in goals(results)
    assert "absent: no wheel" in line("ANYmal", found)
