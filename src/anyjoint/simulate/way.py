"""The way from one state to the next in coordinates that wrap."""

from collections.abc import Iterable

import numpy as np

from anyjoint.joints import Coordinate
from anyjoint.scalar.array import Floats


def periods_of(coordinates: Iterable[Coordinate]) -> Floats:
    """Periods of those that wrap, else 0."""
    return np.array([c.period if c.wrap and c.period else 0.0 for c in coordinates])


def way(begin: Floats, end: Floats, periods: Floats) -> Floats:
    """From one state to the next, not round a whole period that the chart took off; 0 is a period of none."""
    change = end - begin
    return np.asarray(change - periods * np.round(change / np.where(periods > 0, periods, np.inf)))
