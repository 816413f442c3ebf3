"""Butcher tableaus of the explicit Runge-Kutta methods."""

from __future__ import annotations

from anyjoint.frozen import frozen

Row = tuple[float, ...]


@frozen
class Tableau:
    """Stage i is at t + c_i h, y + h sum_j a_ij k_j; the step ends at y + h sum_j b_j k_j.

    `error` weighs the stages for an error estimate of this order (one weight more than there are stages: the rate at
    the end), and `dense`, of four powers, for the interpolant y + h sum_j k_j sum_p dense[j][p] theta^(p+1).
    """

    order: int
    c: Row
    a: tuple[Row, ...]
    b: Row
    error: Row = ()
    dense: tuple[Row, ...] = ()

    @property
    def stages(self) -> int:
        """Evaluations of the rate."""
        return len(self.c)
