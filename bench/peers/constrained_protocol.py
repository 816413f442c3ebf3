"""How an engine runs a mechanism with constraints: `python -m bench.peers.NAME CASE.npz RESULT.npz --seconds S`."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from bench.constrained_models import Case, load
from bench.peers.protocol import Measured

__all__ = ["Measured", "main"]


def main(measure: Callable[..., dict[str, Measured]], **options: tuple[str, ...]) -> None:
    """Run one engine as the command line says; variants without an answer have an empty one."""
    parser = argparse.ArgumentParser()
    parser.add_argument("case", type=Path)
    parser.add_argument("result", type=Path)
    parser.add_argument("--seconds", type=float, default=0.3)
    for name, choices in options.items():
        parser.add_argument(f"--{name}", choices=choices, default=choices[0])
    arguments = parser.parse_args()
    case: Case = load(arguments.case)
    found = measure(case, arguments.seconds, **{name: getattr(arguments, name) for name in options})
    answers: dict[str, Any] = {name: measured.answer for name, measured in found.items()}
    times = {name: measured.nanoseconds for name, measured in found.items()}
    np.savez(arguments.result, report=json.dumps(times), **answers)
