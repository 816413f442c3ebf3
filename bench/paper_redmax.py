"""RedMax's scenes beside the energies stored with its reference implementation: `python -m bench.paper_redmax`.

The method is theirs, linearly implicit Euler with their steps; energies are kinetic plus the change of the potential
one. The scenes and how they are built are those of the tests (tests/simulate/test_redmax_implicit.py).
"""

from __future__ import annotations

import sys
from pathlib import Path

TESTS = Path(__file__).parent.parent / "tests"


def main() -> None:
    """Print a row for every scene without deformable bodies."""
    sys.path[:0] = [str(TESTS.parent), str(TESTS)]
    from constraints.test_redmax import CONSTRAINED
    from dynamics.reference import SCENES
    from simulate.test_redmax_implicit import FREE, scene_energy

    print(f"{'scene':>5}  {'':34}{'stored':>20}{'here':>20}{'difference':>12}")
    for key in sorted((*FREE, *CONSTRAINED), key=int):
        scene = SCENES[key]
        stored, made = scene["stored_H"]["redmax_euler"], scene_energy(key)
        print(f"{key:>5}  {scene['name']:34}{stored:20.10f}{made:20.10f}{made - stored:12.1e}")


if __name__ == "__main__":
    main()
