"""How a simulation ended."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Status:
    """`ok` if the run reached its end or a terminal event; `reason` says what happened, `time` when."""

    ok: bool
    reason: str
    time: float

    def __str__(self) -> str:
        return f"{'ok' if self.ok else 'stopped'}: {self.reason}" if self.reason else "ok"
