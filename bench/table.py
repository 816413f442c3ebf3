"""Plain-text tables of a run."""

from __future__ import annotations

from typing import Any

from bench.engines import OURS, PEERS
from bench.peers.protocol import QUANTITIES

TITLES = {"forward_dynamics": "forward dynamics", "inverse_dynamics": "inverse dynamics", "mass_matrix": "mass matrix"}


def model_table(name: str, model: dict[str, Any]) -> str:
    """Nanoseconds per state of every engine on one model, with anyjoint's lead in brackets."""
    ours = model["engines"].get("anyjoint", {})
    rows = [["ns per state", *TITLES.values()]]
    for engine in (*PEERS, OURS):
        record = model["engines"].get(engine.key)
        if record is None:
            continue
        if "times" not in record:
            rows.append([engine.label, record.get("absent", "not measured"), "", ""])
            continue
        rows.append([engine.label, *(_cell(record, ours, quantity) for quantity in QUANTITIES)])
    for label, times in _extra(ours):
        rows.append([label, *(f"{times[q]:,.1f}" if q in times else "" for q in QUANTITIES)])
    title = f"\n{name}: {model['nb']} bodies, {model['nv']} degrees of freedom"
    return "\n".join([title, *_aligned(rows)])


def goal_table(records: list[dict[str, Any]]) -> str:
    """Each goal: on how many models it is met, and the worst of them."""
    if not records:
        return ""
    rows = [["goal", "target", "met", "worst"]]
    for goal, group in grouped(records).items():
        at_most = group[0]["at_most"]
        worst = max(group, key=lambda r: r["value"] / r["target"] * (1 if at_most else -1))
        targets = sorted({r["target"] for r in group})
        met = sum(r["met"] for r in group)
        wanted = f"{'<=' if at_most else '>='} {' / '.join(f'{t:g}' for t in targets)}"
        rows.append([goal, wanted, f"{met} of {len(group)}", f"{worst['value']:.3g} ({worst['model']})"])
    return "\n".join(["", *_aligned(rows)])


def grouped(records: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Goal -> its records, in order of appearance."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for record in records:
        groups.setdefault(record["goal"], []).append(record)
    return groups


def _cell(record: dict[str, Any], ours: dict[str, Any], quantity: str) -> str:
    time = record["times"].get(quantity)
    if time is None:
        return "-"
    base = ours.get("times", {}).get(quantity)
    return f"{time:,.0f}" + (f" ({time / base:.1f}x)" if base and record is not ours else "")


def _extra(ours: dict[str, Any]) -> list[tuple[str, dict[str, float]]]:
    """Rows for anyjoint's other ways to be called."""
    rows = [(f"anyjoint, batch, {kind}", times) for kind, times in ours.get("batch", {}).items()]
    if "two_threads" in ours:
        rows.append(("anyjoint, batch, two threads", {"forward_dynamics": ours["two_threads"]}))
    if "python_call" in ours:
        rows.append(("anyjoint, one state from Python", ours["python_call"]))
    return rows


def _aligned(rows: list[list[str]]) -> list[str]:
    """Columns to the right, the first to the left; a lone remark in a row may run over."""
    full = [row for row in rows if any(row[2:])]
    widths = [max(len(row[k]) for row in (full if k else rows)) for k in range(len(rows[0]))]
    return ["  " + "  ".join([row[0].ljust(widths[0]), *_right(row[1:], widths[1:])]).rstrip() for row in rows]


def _right(cells: list[str], widths: list[int]) -> list[str]:
    return [cell.rjust(width) for cell, width in zip(cells, widths, strict=True)]
