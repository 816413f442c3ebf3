"""The way from one state to the next in coordinates that wrap."""

import numpy as np

from anyjoint.scalar.array import Floats


def way(begin: Floats, end: Floats, periods: Floats) -> Floats:
    """From one state to the next, not round a whole period that the chart took off; 0 is a period of none."""
    change = end - begin
    return np.asarray(change - periods * np.round(change / np.where(periods > 0, periods, np.inf)))
