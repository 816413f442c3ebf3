"""How a simulation ended."""

from __future__ import annotations

from anyjoint.frozen import frozen


@frozen
class Status:
    """`ok` if the run reached its end or a terminal event; `reason` says what happened, `time` when.

    `drift` is the largest error of any constraint along the run, None where there are no constraints; `note` says why
    a method was chosen, where that was left to us, and what not to believe of a run whose steps were too long.
    """

    ok: bool
    reason: str
    time: float
    drift: float | None = None
    note: str = ""

    def __str__(self) -> str:
        said = f"{'ok' if self.ok else 'stopped'}: {self.reason}" if self.reason else "ok"
        held = "" if self.drift is None else f"{',' if self.reason else ':'} constraints hold to {self.drift:.1g}"
        return said + held + (f" ({self.note})" if self.note else "")
