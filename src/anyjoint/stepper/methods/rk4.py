"""The classical Runge-Kutta method."""

from ..stepper import Stepper, runge_kutta
from ..tableau import Tableau

TABLEAU = Tableau(4, c=(0, 1 / 2, 1 / 2, 1), a=((), (1 / 2,), (0, 1 / 2), (0, 0, 1)), b=(1 / 6, 1 / 3, 1 / 3, 1 / 6))

RK4 = Stepper("rk4", "fourth order, fixed step: the default", 4, lambda ops: runge_kutta(ops, TABLEAU), TABLEAU)
