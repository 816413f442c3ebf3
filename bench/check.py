"""Answers of all engines against each other, before anything is timed."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]
TOLERANCE = 1e-9


def relative_error(answer: Array, reference: Array) -> float:
    """Largest deviation over all states, each relative to the size of its own reference answer."""
    if answer.shape != reference.shape or not np.all(np.isfinite(answer)):
        return float("inf")
    flat, wanted = answer.reshape(len(answer), -1), reference.reshape(len(reference), -1)
    scale = np.maximum(np.abs(wanted).max(axis=1), 1e-300)
    return float((np.abs(flat - wanted).max(axis=1) / scale).max())


def errors(answers: dict[str, dict[str, Array]]) -> dict[str, dict[str, float]]:
    """Engine -> quantity -> deviation from the first engine (in the given order) that has the quantity."""
    found: dict[str, dict[str, float]] = {engine: {} for engine in answers}
    references: dict[str, Array] = {}
    for engine, quantities in answers.items():
        for name, answer in quantities.items():
            reference = references.setdefault(name, answer)
            found[engine][name] = relative_error(answer, reference)
    return found
