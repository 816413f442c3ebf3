"""Numbers, texts and lists of them as JSON and back; infinities, which JSON has not, are texts.

A name that reads like an infinity is {"text": "inf"}.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from anyjoint.errors import InputError

INFINITE = {"inf": math.inf, "-inf": -math.inf}


def is_plain(value: Any) -> bool:
    """Whether it is a number, a text or nothing."""
    return value is None or isinstance(value, (bool, int, str, float, np.generic))


def encoded_plain(value: Any) -> Any:
    """A number, a text, nothing, or a list of such, as JSON."""
    if isinstance(value, (list, tuple)):
        return [encoded_plain(item) for item in value]
    if isinstance(value, (float, np.floating)):
        if math.isnan(value):
            raise InputError("it has a number that is not one (NaN)")
        if not math.isfinite(value):
            return "inf" if value > 0 else "-inf"
        return float(value)
    if isinstance(value, str) and value in INFINITE:
        return {"text": value}
    return value.item() if isinstance(value, np.generic) else value


def decoded_plain(value: Any) -> Any:
    """A number, a text, nothing, or a tuple of such, from JSON."""
    if isinstance(value, list):
        return tuple(decoded_plain(item) for item in value)
    return INFINITE.get(value, value) if isinstance(value, str) else value
