"""Colours and small pieces from which the gallery's mechanisms are drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from anyjoint.mechanism.shapes import Capsule
from anyjoint.spatial import Pose, frame_about

INK, STEEL, IVORY = "#2f3542", "#8a97a8", "#f1ece2"
CORAL, AMBER, SAND = "#e4572e", "#f3a712", "#e8cfa6"
TEAL, SEA, SKY = "#2a9d8f", "#3d7ea6", "#8fb8de"
PLUM, ROSE, MOSS = "#7d5ba6", "#d1495b", "#7a9e5f"
SUNSET = ("#264653", "#2a9d8f", "#e9c46a", "#f4a261", "#e76f51")


def shade(k: int, n: int, stops: Sequence[str] = SUNSET) -> str:
    """The k-th of n colours that run smoothly through the stops."""
    x = k / max(n - 1, 1) * (len(stops) - 1)
    i = min(int(x), len(stops) - 2)
    low, high = (np.array([int(stops[j][c : c + 2], 16) for c in (1, 3, 5)]) for j in (i, i + 1))
    return "#" + "".join(f"{round(float(v)):02x}" for v in low + (x - i) * (high - low))


def between(start: Sequence[float], end: Sequence[float]) -> Pose:
    """The pose in the middle of two points, its z axis from one to the other."""
    a, b = np.asarray(start, dtype=float), np.asarray(end, dtype=float)
    along = (b - a) / np.linalg.norm(b - a)
    return Pose.from_rotation(frame_about(along), tuple(float(x) for x in (a + b) / 2))


def strut(start: Sequence[float], end: Sequence[float], radius: float, color: str | None = None) -> Capsule:
    """A rod with round ends from one point to another."""
    length = float(np.linalg.norm(np.subtract(end, start)))
    return Capsule(radius, length, color=color, pose=between(start, end))


def state(q: Sequence[Any], v: Sequence[Any] | None = None) -> tuple[Any, Any]:
    """A starting state as two arrays; at rest unless velocities are given."""
    position = np.asarray(q, dtype=float)
    return position, np.zeros_like(position) if v is None else np.asarray(v, dtype=float)
