"""Butcher tableaus of the explicit Runge-Kutta methods."""

from __future__ import annotations

from dataclasses import dataclass

Row = tuple[float, ...]


@dataclass(frozen=True)
class Tableau:
    """Stage i is at t + c_i h, y + h sum_j a_ij k_j; the step ends at y + h sum_j b_j k_j.

    `error` weighs the stages for an error estimate (one weight more than there are stages: the rate at the end), and
    `dense` for the interpolant y + h sum_j k_j sum_p dense[j][p] theta^(p+1).
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


RK4 = Tableau(4, c=(0, 1 / 2, 1 / 2, 1), a=((), (1 / 2,), (0, 1 / 2), (0, 0, 1)), b=(1 / 6, 1 / 3, 1 / 3, 1 / 6))

# Dormand and Prince (1980), RK5(4)7M; the interpolant of order 4 is Shampine's (1986).
DOPRI5 = Tableau(
    order=5,
    c=(0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1),
    a=(
        (),
        (1 / 5,),
        (3 / 40, 9 / 40),
        (44 / 45, -56 / 15, 32 / 9),
        (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
        (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
    ),
    b=(35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
    error=(-71 / 57600, 0, 71 / 16695, -71 / 1920, 17253 / 339200, -22 / 525, 1 / 40),
    dense=(
        (1, -8048581381 / 2820520608, 8663915743 / 2820520608, -12715105075 / 11282082432),
        (0, 0, 0, 0),
        (0, 131558114200 / 32700410799, -68118460800 / 10900136933, 87487479700 / 32700410799),
        (0, -1754552775 / 470086768, 14199869525 / 1410260304, -10690763975 / 1880347072),
        (0, 127303824393 / 49829197408, -318862633887 / 49829197408, 701980252875 / 199316789632),
        (0, -282668133 / 205662961, 2019193451 / 616988883, -1453857185 / 822651844),
        (0, 40617522 / 29380423, -110615467 / 29380423, 69997945 / 29380423),
    ),
)
