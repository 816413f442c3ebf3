"""Tables of cases of which each row and each column takes its own way through the code, but no cell takes a third."""

from collections.abc import Iterable
from typing import Any

import pytest


def crossed(rows: Iterable[Any], columns: Iterable[Any]) -> list[Any]:
    """Every row with the first column and every column with the first row; the rest of the table is slow."""
    rows, columns = list(rows), list(columns)
    return [
        pytest.param(row, column, marks=[pytest.mark.slow] * (i > 0 and k > 0))
        for i, row in enumerate(rows)
        for k, column in enumerate(columns)
    ]
