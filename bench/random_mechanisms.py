"""What the random mechanisms of the oracle test have, and how close sweeps come: `python -m bench.random_mechanisms`.

The mechanisms are those of tests/constraints/test_oracle.py; arguments are seeds, 0 to 199 unless told. Sweeps run on
floats, beside a dense solve that knows nothing of them. Seeds are named in which there are not as many multipliers as
independent rows.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from anyjoint import joints
from anyjoint.constraints import Loop

TESTS = Path(__file__).parent.parent / "tests"
SEEDS = range(200)


def kinds(case: Any, independent: int) -> Iterator[str]:
    """What a mechanism has."""
    mech, hard = case.mech, case.dense.hard
    if any(isinstance(constraint, Loop) for constraint in mech.constraints):
        yield "loops"
    if any(isinstance(body.joint, joints.Rolling) for body in mech.bodies):
        yield "rolling joints"
    if any(constraint.name.endswith(": no slip") for constraint in mech.constraints):
        yield "rolling wheels"
    if any(body.joint.follows for body in mech.bodies):
        yield "shared coordinates"
    if any(not constraint.holonomic for constraint in mech.constraints):
        yield "rows on velocities"
    if mech.timed:
        yield "rows with time"
    if not hard.all():
        yield "soft rows"
    if independent < np.count_nonzero(hard):
        yield "redundant rows"


def main(arguments: list[str]) -> None:
    """Print how many mechanisms have what, and the largest errors."""
    sys.path[:0] = [str(TESTS.parent), str(TESTS)]
    from constraints.floats import forward
    from constraints.test_oracle import held, mixed, rank

    found, worst, unlike = Counter[str](), 0.0, []
    seeds = [int(x) for x in arguments] or SEEDS
    for seed in seeds:
        case = mixed(seed)
        tau = np.random.default_rng(seed).normal(size=case.mech.nv)
        a, y = forward(case.mech, case.q, case.v, tau, case.t)
        found.update(kinds(case, rank(case)))
        worst = max(worst, *held(case, a, y, tau))
        if np.count_nonzero(y[case.dense.hard]) != rank(case):
            unlike.append(seed)
    print(f"{len(seeds)} mechanisms: " + ", ".join(f"{count} with {name}" for name, count in found.most_common()))
    print(f"equations of motion and rows hold to {worst:.1e} of their largest terms")
    print(f"as many multipliers as independent rows: {f'all but {unlike}' if unlike else 'all'}")


if __name__ == "__main__":
    main(sys.argv[1:])
