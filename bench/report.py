"""The documentation page of a run: `python -m bench.report [RESULTS.json]` writes docs/benchmarks.md and its chart."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from bench import chart, constraints_table
from bench.engines import OURS, PEERS, ROOT
from bench.goals import best_time
from bench.paper import PAPER_DOFS, PAPER_MS
from bench.peers.protocol import QUANTITIES
from bench.table import TITLES, grouped

PAGE = ROOT / "docs" / "benchmarks.md"
CHART = ROOT / "docs" / "_static" / "benchmarks.svg"

HOW = """\
# Benchmarks

anyjoint and its peers on the same models, in one run, on one core of one machine. This page is written from
the numbers of such a run by `python -m bench.report`; nothing on it is typed by hand.

## Reproduce it

```
make bench                      # everything; the first run compiles the peers, which takes some minutes
python -m bench.run --quick     # a few models
python -m bench.run --full      # also CasADi's C for RC50 and RC100, which takes minutes to compile
python -m bench.report          # this page
```

Peers are used where they are installed (`bench/requirements.txt`):

* Pinocchio's C++ headers, compiled with clang and with g++ (`-O3 -march=native`); its faster convention counts;
* an articulated-body algorithm and a Newton-Euler recursion written by us in CasADi SX, with the model's numbers
  folded in and common subexpressions merged, exported to C (`-O3 -march=native -ffast-math`);
* MuJoCo's C library, from kinematics to solve, with contacts off;
* the Python bindings of Pinocchio, MuJoCo and Drake.

`anyjoint bench` measures anyjoint alone.

## Method

Every engine gets the same {states} random states and goes round them, in a process of its own pinned to one core;
the best of many rounds counts. The engines take turns, {rounds} times, so that a busy moment of the machine hits all
of them. Before anything is timed, the answers of all engines are compared: they agree to {tolerance:g} relative, or
the engine is left out. A mass matrix is not copied out of Pinocchio's or MuJoCo's own storage.
Measured on {cpu}, {cores} cores, {date}.
"""

BATCHES = """\
Nanoseconds per state of forward dynamics in a batch of 4096 states, called from Python with everything included; lanes
of the vector unit are states. No peer here computes several states at once on a core, so the ratio is to Pinocchio's
best C++ build on one state.
"""

PAPER = """\
Si & Guenter, *Linear-Time Dynamics for Multibody Systems with General Joint Models*, Table 1: milliseconds per
evaluation of forward dynamics. Theirs were measured on a 2.67 GHz Core 2 Quad; the last row is this run.
"""


def page(results: dict[str, Any]) -> str:
    """The whole page as MyST Markdown."""
    words = {**results["settings"], **results["machine"]}
    parts = [HOW.format(**words)]
    parts += ["## The picture\n", "![Time per state of every engine](_static/benchmarks.svg)\n"]
    for quantity in QUANTITIES:
        parts += [f"## {TITLES[quantity].capitalize()}, one state\n", _quantity_table(results, quantity)]
    parts += _absences(results)
    if any(_ours(model).get("batch") for model in results["models"].values()):
        parts += ["## Batches, threads, Python\n", BATCHES, _batch_table(results)]
        parts += ["## Compile times and code size\n", _compile_table(results)]
    parts += [constraints_table.section()]
    parts += ["## Beside the paper\n", PAPER, _paper_table(results)]
    parts += ["## Goals\n", _goal_table(results), "## Versions and agreement\n", _version_table(results)]
    return "\n".join(parts)


def _quantity_table(results: dict[str, Any], quantity: str) -> str:
    """Nanoseconds by engine (rows) and model (columns), with the lead over the best peer."""
    names = [n for n, m in results["models"].items() if best_time(m, "", quantity) or _time(m, "anyjoint", quantity)]
    rows = [["ns per state", *names]]
    for engine in (*PEERS, OURS):
        cells = [_number(_time(results["models"][n], engine.key, quantity)) for n in names]
        if any(cells):
            label = f"**{engine.label}**" if engine is OURS else engine.label
            rows.append([label, *cells])
    ratios = []
    for name in names:
        ours, peer = (
            _time(results["models"][name], "anyjoint", quantity),
            best_time(results["models"][name], "", quantity),
        )
        ratios.append(f"**{peer / ours:.1f}x**" if ours and peer else "")
    return _markdown([*rows, ["faster than the best peer", *ratios]])


def _batch_table(results: dict[str, Any]) -> str:
    rows = [["", "float64", "over Pinocchio", "float32", "over Pinocchio", "two threads", "one state from Python"]]
    for name, model in results["models"].items():
        ours, peer = _ours(model), best_time(model, "pinocchio", "forward_dynamics")
        if not ours.get("batch"):
            continue
        double, single = (ours["batch"][kind]["forward_dynamics"] for kind in ("float64", "float32"))
        ratio = [f"{peer / t:.1f}x" if peer else "" for t in (double, single)]
        two, call = ours.get("two_threads"), ours.get("python_call", {}).get("forward_dynamics")
        cells = [
            _number(double),
            ratio[0],
            _number(single),
            ratio[1],
            f"{_number(two)} ({double / two:.2f}x)" if two else "",
        ]
        rows.append([name, *cells, _number(call)])
    return _markdown(rows)


def _compile_table(results: dict[str, Any]) -> str:
    """Ours against the only peer that also generates code."""
    rows = [["", "operations", "cold, s", "from the cache, ms", "CasADi C: operations", "compiler, s"]]
    for name, model in results["models"].items():
        ours, casadi = _ours(model), model["engines"].get("casadi-clang", {})
        if times := ours.get("compile"):
            own = [
                f"{ours['operations']['forward_dynamics']:,}",
                f"{times['cold']:.2f}",
                f"{1e3 * times['cached']:.0f}",
            ]
            theirs = casadi.get("operations", {}).get("forward_dynamics")
            other = [f"{theirs:,}", f"{casadi['compile_seconds']:.1f}"] if theirs else ["", ""]
            rows.append([name, *own, *other])
    return _markdown(rows)


def _paper_table(results: dict[str, Any]) -> str:
    rows = [["ms", *(f"{name} ({dofs})" for name, dofs in PAPER_DOFS.items())]]
    for method, times in PAPER_MS.items():
        rows.append([method, *(f"{times[n]:.3f}" if n in times else "" for n in PAPER_DOFS)])
    ours = [_time(results["models"].get(n, {"engines": {}}), "anyjoint", "forward_dynamics") for n in PAPER_DOFS]
    return _markdown([*rows, ["**anyjoint, one state**", *(f"**{t / 1e6:.5f}**" if t else "" for t in ours)]])


def _goal_table(results: dict[str, Any]) -> str:
    """Every goal with every model's number; misses are named."""
    rows = [["goal", "target", "met on", "numbers (misses in bold)"]]
    for goal, group in grouped(results["goals"]).items():
        sign = "at most" if group[0]["at_most"] else "at least"
        targets = " / ".join(f"{t:g}" for t in sorted({r["target"] for r in group}))
        cells = [f"{r['model']} {r['value']:.3g}" for r in group]
        cells = [cell if r["met"] else f"**{cell}**" for cell, r in zip(cells, group, strict=True)]
        rows.append([goal, f"{sign} {targets}", f"{sum(r['met'] for r in group)} of {len(group)}", ", ".join(cells)])
    return _markdown(rows)


def _version_table(results: dict[str, Any]) -> str:
    rows = [["engine", "version", "compiler", "largest deviation of any answer"]]
    for engine in (*PEERS, OURS):
        records = [m["engines"][engine.key] for m in results["models"].values() if engine.key in m["engines"]]
        errors = [e for r in records for e in r.get("errors", {}).values()]
        if errors:
            note = next(r for r in records if "version" in r)
            rows.append([engine.label, note["version"], note.get("compiler", ""), f"{max(errors):.1e}"])
    return _markdown(rows)


def _absences(results: dict[str, Any]) -> list[str]:
    """Why cells are empty."""
    reasons: dict[str, list[str]] = {}
    for name, model in results["models"].items():
        for key, record in model["engines"].items():
            if "absent" in record and key != "anyjoint":
                reasons.setdefault(f"{key}: {record['absent']}", []).append(name)
    lines = [f"* {reason} ({', '.join(names)})" for reason, names in reasons.items()]
    return ["Not measured:\n", *lines, ""] if lines else []


def _ours(model: dict[str, Any]) -> dict[str, Any]:
    return dict(model["engines"].get("anyjoint", {}))


def _time(model: dict[str, Any], key: str, quantity: str) -> float | None:
    time = model["engines"].get(key, {}).get("times", {}).get(quantity)
    return float(time) if time else None


def _number(time: float | None) -> str:
    return "" if not time else f"{time:,.0f}" if time >= 100 else f"{time:.1f}"


def _markdown(rows: list[list[str]]) -> str:
    head, *body = (f"| {' | '.join(row)} |" for row in rows)
    rule = "|---" + "|--:" * (len(rows[0]) - 1) + "|"
    return "\n".join([head, rule, *body]) + "\n"


def write(results: dict[str, Any], page_path: Path = PAGE, chart_path: Path = CHART) -> None:
    """Page and chart into the documentation."""
    page_path.write_text(page(results), encoding="utf-8")
    for path in chart.draw(results, chart_path):
        if path.suffix == ".png":
            path.unlink()  # the page shows the SVG


if __name__ == "__main__":
    source = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "bench" / "results.json"
    write(json.loads(source.read_text(encoding="utf-8")))
    print(f"wrote {PAGE.relative_to(ROOT)} and {CHART.relative_to(ROOT)}")
