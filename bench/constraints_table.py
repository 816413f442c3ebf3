"""What `bench.constraints` has measured, in words: lines for the terminal, a section of docs/benchmarks.md."""

from __future__ import annotations

import json
from typing import Any

from bench.engines import ROOT

PINOCCHIO = ("constraintDynamics", "constrainedABA", "LCABA")
STEPS = {"MuJoCo step": "MuJoCo mj_step", "Drake step": "Drake step"}
ACCURATE = 2e-6  # errors of answers that count: no setting that is good to about six digits is left out
GOALS = (
    ("best Pinocchio variant, one state", ("ANYmal", "Talos"), 2.2, "", "anyjoint"),
    ("constraintDynamics, one state", ("ANYmal", "Talos"), 4.0, "constraintDynamics", "anyjoint"),
    ("LCABA, one state", ("chain",), 12.0, "LCABA", "anyjoint"),
    ("best Pinocchio variant, batches", ("ANYmal", "Talos", "chain", "20"), 7.0, "", "anyjoint, batch"),
)
SECTION = """\
## Constraints

Forward dynamics with constraints, microseconds per state (`python -m bench.constraints`, {date}, {cpu}): points of feet
held to the ground (3 rows) and soles (6 rows), closed loops, a chain whose end is pinned. All engines get the same
states on the constraints, in one run on one pinned core. In brackets the error against a dense solution of
`[[M, G^T], [G, 0]]`, refined in extended precision. Pinocchio is its C++ headers, the best of the builds measured.
Its sparse variants iterate; they are tried with proximal parameters 1e-5, 1e-6 and 1e-8 and 1, 2 and 4 iterations, and
the fastest setting counts whose answers are good to 2e-6: with more digits asked of them, they take longer (all times
are in `bench/constraints.json`). MuJoCo's and Drake's are whole steps, with soft rows: they are here for their size.
Batches are called from Python, 256 states at a time; "free" is anyjoint without the constraints.
"""


def section() -> str:
    """The part of the documentation page; nothing where nothing was measured."""
    path = ROOT / "bench" / "constraints.json"
    if not path.exists():
        return ""
    results = json.loads(path.read_text(encoding="utf-8"))
    return "\n".join([SECTION.format(**results["machine"]), table(results), "", absences(results), goals(results), ""])


def absences(results: dict[str, Any]) -> str:
    """Why cells are empty."""
    cases = results["cases"].items()
    missing = [f"{peer} on {name} ({why})" for name, found in cases for peer, why in found["absent"].items()]
    return f"Not measured: {'; '.join(missing)}. constrainedABA knows anchors on the ground only.\n" if missing else ""


def best_peer(found: dict[str, Any], kind: str = "") -> float:
    """The best time of all Pinocchio variants whose answers are good enough, or of one variant."""
    return min((t for t, _ in accurate(found, kind)), default=float("nan"))


def accurate(found: dict[str, Any], kind: str = "") -> list[tuple[float, float]]:
    """(time, error) of all settings of Pinocchio's variants, or of one, whose answers are good enough."""
    times, errors = found["times"], found["errors"]
    keys = [key for key in times if key.startswith("Pinocchio") and kind in key]
    return [(times[key], errors[key]) for key in keys if errors[key] <= ACCURATE]


def line(name: str, found: dict[str, Any]) -> str:
    """One case for the terminal."""
    times, errors = found["times"], found["errors"]
    rows = [f"{name}: {found['operations']:,} operations (free {found['free operations']:,})"]
    for key, t in times.items():
        rows.append(f"  {key:46s} {t / 1e3:9.3f} us   " + (f"error {errors[key]:.1e}" if key in errors else ""))
    return "\n".join(rows + [f"  {key:46s} absent: {why}" for key, why in found["absent"].items()])


def table(results: dict[str, Any]) -> str:
    """All cases as a table in Markdown."""
    heads = ["us per state", "operations", "anyjoint", "batch", "free", *PINOCCHIO, *STEPS, "best Pinocchio / anyjoint"]
    lines = [f"| {' | '.join(heads)} |", "|---" + "|--:" * (len(heads) - 1) + "|"]
    for name, found in results["cases"].items():
        times, errors = found["times"], found["errors"]
        cells = [name, f"{found['operations']:,}", _cell(times["anyjoint"], errors["anyjoint"])]
        cells += [_cell(times["anyjoint, batch"]), _cell(times["anyjoint, free"])]
        for kind in PINOCCHIO:
            cells.append(_cell(*min(accurate(found, kind))) if accurate(found, kind) else "")
        cells += [_cell(times[key]) if key in times else "" for key in STEPS.values()]
        ratios = [best_peer(found) / times[key] for key in ("anyjoint", "anyjoint, batch")]
        cells.append(f"**{ratios[0]:.1f}x**, batch {ratios[1]:.1f}x")
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def goals(results: dict[str, Any]) -> str:
    """Every goal with its numbers; misses in bold."""
    lines = ["| faster than | goal | numbers (misses in bold) |", "|---|--:|---|"]
    for text, beginnings, target, kind, own in GOALS:
        cells = []
        for name, found in results["cases"].items():
            if name.startswith(beginnings):
                ratio = best_peer(found, kind) / found["times"][own]
                cell = f"{name.split(',')[0]} {ratio:.1f}"
                cells.append(cell if ratio >= target else f"**{cell}**")
        lines.append(f"| {text} | {target:g}x | {', '.join(cells)} |")
    return "\n".join(lines)


def _cell(nanoseconds: float, off: float | None = None) -> str:
    return f"{nanoseconds / 1e3:.2f}" + ("" if off is None else f" ({off:.0e})")
