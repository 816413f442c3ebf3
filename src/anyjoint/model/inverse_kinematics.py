"""Inverse kinematics: coordinates at which frames are where they should be."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from anyjoint.errors import InputError
from anyjoint.options import named_options
from anyjoint.scalar.array import ArrayLike

from .arguments import checked_row
from .part import Part
from .target import Reached, is_batch, read_targets


class InverseKinematics(Part):
    """The part of Model that finds coordinates for frames."""

    @named_options
    def inverse_kinematics(
        self, targets: ArrayLike, q0: ArrayLike | None = None, *, hold: Sequence[str] = (), limits: bool = True,
        tolerance: float | None = None, iterations: int = 200, tries: int = 1, seed: int = 0, t: float = 0.0,
    ) -> Reached:  # fmt: skip
        """Coordinates at which frames are where `targets` say, from q0 on (default: the mechanism's own start).

        `targets` is {frame: target}; a target is a position, a pose, a matrix (4, 4), an `aj.Target` with weights, or
        a batch of them. Limits of joints hold unless `limits` is False; coordinates and bodies named in `hold` stay.
        Where a target is met within `tolerance` (metres and radians, default 1e-9), it is reached; where all cannot be
        met, the weighted sum of squared errors is least, near q0, and the answer says so. With `tries`, what was not
        reached begins again at random coordinates.
        """
        aims = read_targets(self.mechanism, targets, "inverse_kinematics")
        _check_counts(iterations, tries, tolerance)
        start = self.mechanism.start[0] if self.mechanism.start else self.mechanism.neutral
        given = checked_row("inverse_kinematics", start if q0 is None else q0, "q0", self.nq, np.dtype(float))
        from .reach import Solver

        solver = Solver(self.whole, aims, [hold] if isinstance(hold, str) else hold, limits, t)
        count = max(len(x) for aim in aims for x in (aim.position, aim.orientation) if x is not None)
        batch = given.ndim == 2 or is_batch(targets)
        if given.ndim == 2 and count not in (1, len(given)):
            message = f"q0 has {len(given)} states and targets are {count}; they must be equal"
            raise InputError(f"inverse_kinematics: {message}")
        states = np.array(np.broadcast_to(np.atleast_2d(given), (max(count, len(np.atleast_2d(given))), self.nq)))
        small = 1e-9 if self.dtype == np.float64 else 1e-4
        return solver.run(states, small if tolerance is None else tolerance, iterations, tries, seed, batch)


def _check_counts(iterations: object, tries: object, tolerance: object) -> None:
    for name, n in (("iterations", iterations), ("tries", tries)):
        if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 1:
            raise InputError(f"inverse_kinematics: {name}={n!r}; expected a whole number of at least 1")
    if tolerance is not None and not (isinstance(tolerance, (int, float)) and 0 < tolerance < math.inf):
        raise InputError(f"inverse_kinematics: tolerance={tolerance!r}; expected a positive number")
