"""How an engine is run: one process per engine and model, states in, answers and times out.

`python -m bench.peers.NAME MODEL.json STATES.npz RESULT.npz --seconds S` writes the answers of every quantity (neutral
layout) and, under the key `report`, JSON text with the best times in nanoseconds per state and notes of the engine.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from bench import models

Array = np.ndarray[Any, np.dtype[Any]]
QUANTITIES = ("forward_dynamics", "inverse_dynamics", "mass_matrix")


@dataclass(frozen=True)
class States:
    """Random states in the neutral layout, one per row."""

    q: Array
    v: Array
    a: Array
    tau: Array


@dataclass(frozen=True)
class Measured:
    """Answers of one quantity in the neutral layout, and the best time."""

    answer: Array
    nanoseconds: float


@dataclass(frozen=True)
class Engine:
    """An engine built for one model; a quantity is a function of the states and a time budget in seconds."""

    quantities: Mapping[str, Callable[[States, float], Measured]]
    notes: dict[str, Any] = field(default_factory=dict)
    extra: Callable[[States, float], dict[str, Any]] = lambda states, seconds: {}
    """More to measure, when anything is timed at all."""


def main(build: Callable[..., Engine], **options: tuple[str, ...]) -> None:
    """Run one engine as the command line says; `options` are its choices, such as compiler=("clang", "gcc")."""
    parser = argparse.ArgumentParser()
    for name in ("model", "states", "result"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--seconds", type=float, default=0.3)
    for name, choices in options.items():
        parser.add_argument(f"--{name}", choices=choices, default=choices[0])
    arguments = parser.parse_args()
    started = time.perf_counter()
    engine = build(models.load(arguments.model), **{name: getattr(arguments, name) for name in options})
    setup = time.perf_counter() - started
    with np.load(arguments.states) as file:
        states = States(**file)
    measured = {name: run(states, arguments.seconds) for name, run in engine.quantities.items()}
    times = {name: m.nanoseconds for name, m in measured.items()}
    extra = engine.extra(states, arguments.seconds) if arguments.seconds else {}
    report = {"times": times, "setup_seconds": setup, **engine.notes, **extra}
    arrays: dict[str, Any] = {name: m.answer for name, m in measured.items()}
    np.savez(arguments.result, report=json.dumps(report), **arrays)


def best_time(call: Callable[[int], object], count: int, seconds: float) -> float:
    """Best nanoseconds per call over rounds through `count` states, for engines called from Python."""
    best, start = float("inf"), time.perf_counter()
    while True:
        before = time.perf_counter_ns()
        for i in range(count):
            call(i)
        best = min(best, (time.perf_counter_ns() - before) / count)
        if time.perf_counter() - start >= seconds:
            return best
