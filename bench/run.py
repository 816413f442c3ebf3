"""Measure anyjoint and every installed peer on the same models: `python -m bench.run`.

Order of events: build everything, check all answers against each other, then time all engines in turn, several rounds
on one pinned core; the best round of each counts. Nothing is timed that disagrees.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from bench import chart, check, engines, goals, models, table
from bench.peers.protocol import QUANTITIES

QUICK = ("UR5", "Panda", "RC20", "RC20-simple", "TC10")
ALL = (*models.ROBOTS, *models.CHAINS, *models.PAPER_MODELS)
STATES = 64


def main() -> int:
    """Run, print, write."""
    options = _options()
    names = options.models or (QUICK if options.quick else ALL)
    with tempfile.TemporaryDirectory() as folder:
        bench = Run(Path(folder), options)
        results: dict[str, Any] = {"machine": machine(), "settings": settings(options), "models": {}}
        for name in names:
            if found := bench.model(name):
                results["models"][name] = found
                print(table.model_table(name, found), flush=True)
    results["goals"] = [goal.record() for goal in goals.evaluate(results)]
    print(table.goal_table(results["goals"]))
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    drawn = chart.draw(results, options.out.with_suffix(".svg"))
    print(f"\nwrote {', '.join(str(path) for path in (options.out, *drawn))}")
    ours_failed = any("absent" in model["engines"].get("anyjoint", {}) for model in results["models"].values())
    return 1 if bench.disagreements or ours_failed else 0


class Run:
    """One run over several models: where files go, and what disagreed."""

    def __init__(self, folder: Path, options: argparse.Namespace) -> None:
        self.folder, self.options, self.disagreements = folder, options, 0
        self.robots_failed = ""

    def model(self, name: str) -> dict[str, Any] | None:
        """Build, check and time every engine on one model."""
        model = self._describe(name)
        if model is None:
            print(f"{name}: left out, {self.robots_failed}", file=sys.stderr)
            return None
        files = self.folder / f"{name}.json", self.folder / f"{name}.npz"
        model.save(files[0])
        q, v, a, tau = models.random_states(model, STATES)
        np.savez(files[1], q=q, v=v, a=a, tau=tau)
        started = time.perf_counter()
        outcomes, records = self._answers(name, files)
        _progress(f"{name}: built and checked in {time.perf_counter() - started:.0f} s")
        for turn in range(self.options.rounds):
            # Calls from Python are slow enough, and far enough behind, that one round tells all.
            for engine in (e for e in outcomes if turn == 0 or e.language != "Python"):
                _progress(f"{name}: round {turn + 1} of {self.options.rounds}, {engine.label}")
                self._time(engine, files, records[engine.key])
        _progress("")
        sizes = records.get("anyjoint", {}).get("sizes") or {"nb": len(model.bodies), "nq": model.nq, "nv": model.nv}
        return {**sizes, "engines": records}

    def _describe(self, name: str) -> models.Model | None:
        """The neutral model; robots come from Pinocchio, in the peers' interpreter."""
        if name in models.PAPER_MODELS:
            return models.Model(name, ())
        if name.startswith("RC"):
            return models.chain(name)
        done = engines.call([str(engines.peers_python()), "-m", "bench.robots", str(self.folder), name], None)
        if done.returncode:
            self.robots_failed = f"reading it needs pin and example-robot-data ({done.stderr.strip().splitlines()[-1]})"
            return None
        return models.load(self.folder / f"{name}.json")

    def _engines(self, name: str) -> list[engines.Engine]:
        chosen = [engines.OURS]
        if name not in models.PAPER_MODELS and not self.options.ours:
            chosen = [*engines.PEERS, engines.OURS]
        return [e for e in chosen if not self.options.engines or any(e.key.startswith(p) for p in self.options.engines)]

    def _answers(self, name: str, files: tuple[Path, Path]) -> tuple[list[engines.Engine], dict[str, dict[str, Any]]]:
        """Build every engine, compare the answers; those that agree are returned for timing."""
        records: dict[str, dict[str, Any]] = {}
        answers: dict[str, dict[str, Any]] = {}
        able = []
        for engine in self._engines(name):
            _progress(f"{name}: building {engine.label}")
            if name in engines.SLOW_TO_COMPILE and engine.key.startswith("casadi") and not self.options.full:
                records[engine.key] = {"absent": "takes minutes to compile: use --full"}
                continue
            outcome = engines.run(engine, *files, self.folder / "result.npz", 0.0, None)
            if outcome.failure:
                records[engine.key] = {"absent": outcome.failure}
                continue
            answers[engine.key] = outcome.answers
            records[engine.key] = {k: x for k, x in outcome.report.items() if k not in ("times", "setup_seconds")}
            able.append(engine)
        for key, found in check.errors(answers).items():
            records[key]["errors"] = found
            wrong = {quantity: x for quantity, x in found.items() if not x <= check.TOLERANCE}
            if wrong:
                self.disagreements += 1
                records[key]["absent"] = f"disagrees with the others: {wrong}"
                print(f"{name}: {key} {records[key]['absent']}", file=sys.stderr)
        return [engine for engine in able if "absent" not in records[engine.key]], records

    def _time(self, engine: engines.Engine, files: tuple[Path, Path], record: dict[str, Any]) -> None:
        """One round of one engine; the best of all rounds is kept."""
        seconds = self.options.seconds
        outcome = engines.run(engine, *files, self.folder / "result.npz", seconds, self.options.core)
        if outcome.failure:
            record["absent"] = outcome.failure
            return
        for key, value in outcome.report.items():
            if key in ("times", "batch", "two_threads", "python_call", "compile"):
                record[key] = smallest(record.get(key), value)


def smallest(old: Any, new: Any) -> Any:
    """The smaller of two times, or of every two times in nested dictionaries."""
    if old is None:
        return new
    if isinstance(new, dict):
        return {key: smallest(old.get(key), value) for key, value in new.items()}
    return min(old, new)


def machine() -> dict[str, Any]:
    """What the numbers were measured on."""
    cpu = platform.processor()
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [
            line.split(":", 1)[1].strip() for line in info.read_text().splitlines() if line.startswith("model name")
        ]
        cpu = names[0] if names else cpu
    when = time.strftime("%Y-%m-%d", time.gmtime())
    return {
        "cpu": cpu,
        "cores": os.cpu_count(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "date": when,
    }


def settings(options: argparse.Namespace) -> dict[str, Any]:
    """How the numbers were measured."""
    keys = ("rounds", "seconds", "core", "full", "quick")
    return {
        "states": STATES,
        "tolerance": check.TOLERANCE,
        "quantities": QUANTITIES,
        **{k: getattr(options, k) for k in keys},
    }


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench.run", description="Measure anyjoint and its peers on the same models."
    )
    parser.add_argument(
        "--quick", action="store_true", help="few models, short measurements: under two minutes once peers are built"
    )
    parser.add_argument(
        "--full", action="store_true", help="also compile CasADi's C for RC50 and RC100 (many minutes, cached)"
    )
    parser.add_argument("--models", nargs="+", metavar="NAME", choices=ALL, help=f"any of {', '.join(ALL)}")
    parser.add_argument(
        "--engines", nargs="+", metavar="PREFIX", help="only engines whose key starts so: anyjoint pinocchio casadi ..."
    )
    parser.add_argument("--ours", action="store_true", help="anyjoint alone")
    parser.add_argument("--rounds", type=int, help="rounds through all engines (default 2, quick 1)")
    parser.add_argument("--seconds", type=float, help="time per quantity and round (default 0.3, quick 0.1)")
    parser.add_argument(
        "--core", type=int, default=max((os.cpu_count() or 1) - 1, 0), help="core to pin to (default: the last)"
    )
    parser.add_argument(
        "--out",
        type=Path,
        default=engines.ROOT / "bench" / "results.json",
        help="where the JSON goes; the chart beside it",
    )
    options = parser.parse_args()
    options.rounds = options.rounds or (1 if options.quick else 2)
    options.seconds = options.seconds or (0.1 if options.quick else 0.3)
    return options


def _progress(text: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
