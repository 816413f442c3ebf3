"""How far a loaded mechanism and another engine differ on the same file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from anyjoint.errors import AnyjointError
from anyjoint.frozen import frozen
from anyjoint.mechanism import Mechanism

from .answer import Oracle

ENGINES = {"pin": "URDF", "mujoco": "MJCF", "opensim": "OpenSim"}  # and the formats that they read
REMEDIES = {"pin": "pip install pin", "mujoco": "pip install anyjoint[mjcf]", "opensim": "pip install opensim"}
STATES = 3
# What is only so exact in OpenSim: it iterates for paths around obstacles, and differences are differences.
LOOSER = dict.fromkeys(("lengths", "moment arms", "moment arms on constraints"), 1e-8)
LOOSER["accelerations by differences"] = 1e-7
# Asked for where rows repeat others but for rounding: that of OpenSim, which keeps six digits of old files.
LOOSER |= dict.fromkeys(("moment arms by differences", "motions on constraints"), 1e-5)

Opener = Callable[[Path, Mechanism], Oracle]


class OracleRefused(AnyjointError):
    """Another engine that does not read a file, or means something else by it."""


@frozen
class Comparison:
    """The largest relative differences by what was asked, and what could not be asked for, in sentences."""

    worst: dict[str, float]
    notes: tuple[str, ...]

    def beyond(self, close: float) -> dict[str, float]:
        """What differs by more than that, and by more than the other engine is exact to."""
        return {what: x for what, x in self.worst.items() if not x < max(close, LOOSER.get(what, 0.0))}


def compared(engine: str, path: Path, mech: Mechanism, states: int = STATES) -> Comparison:
    """How far our answers and an engine's differ at random states."""
    oracle = _opened(engine, path, mech)
    if not mech.nv:
        raise OracleRefused(f"{path}: nothing of it moves, so that there is nothing to compare")
    model, random, worst = mech.compile(), np.random.default_rng(0), dict[str, float]()
    for _ in range(states):
        try:
            for name, ours, theirs in oracle.answers(model, random):
                scale = max(float(np.abs(theirs).max(initial=0.0)), 1e-6 * oracle.size, 1e-300)
                away = np.abs(ours - theirs).max(initial=0.0) / scale
                worst[name] = float(np.maximum(worst.get(name, 0.0), away))  # which keeps a NaN
        except (ValueError, RuntimeError) as error:  # OpenSim's own, where its solvers find no answer
            raise OracleRefused(f"{path}: {engine} cannot be compared with: {_sentence(error)}") from error
    return Comparison(worst, tuple(dict.fromkeys(oracle.notes)))


def _opened(engine: str, path: Path, mech: Mechanism) -> Oracle:
    if engine not in ENGINES:
        raise OracleRefused(f"{engine!r} is no engine to compare with; expected {', '.join(ENGINES)}")
    read = mech.source.format if mech.source is not None else "a script"
    if read != ENGINES[engine]:
        raise OracleRefused(f"{path}: {engine} is an oracle for {ENGINES[engine]}, and this is {read}")
    try:
        opened = OPENERS[engine]()
    except ImportError as error:
        raise OracleRefused(f"{engine} is not installed: {REMEDIES[engine]}") from error
    try:
        return opened(path, mech)
    except (ValueError, RuntimeError) as error:
        raise OracleRefused(f"{path}: {engine} cannot be compared with: {_sentence(error)}") from error


def _pin() -> Opener:
    from .pin import opened

    return opened


def _mujoco() -> Opener:
    from .mujoco import opened

    return opened


def _opensim() -> Opener:
    from .opensim import opened

    return opened


OPENERS = {"pin": _pin, "mujoco": _mujoco, "opensim": _opensim}  # which import an engine when it is asked


def _sentence(error: Exception) -> str:
    """What an engine says, without where in its own source that is."""
    said = " ".join(str(error).split())
    return said.rpartition("message: ")[2]
