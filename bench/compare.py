"""Ratios of two runs of the benchmark side by side: `python -m bench.compare COMMIT`, that commit's against these."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results.json"
PEERS = ("pinocchio", "casadi")


def ratios(results: dict[str, Any], model: str, quantity: str) -> dict[str, float]:
    """Our time in ns, and how many times longer the best peer of each kind takes."""
    engines = results["models"].get(model, {}).get("engines", {})
    times = {name: engine["times"][quantity] for name, engine in engines.items() if quantity in engine.get("times", {})}
    if "anyjoint" not in times:
        return {}
    found = {"ns": times["anyjoint"]}
    for peer in PEERS:
        theirs = [time for name, time in times.items() if name.startswith(peer)]
        if theirs:
            found[peer] = min(theirs) / times["anyjoint"]
    return found


def main(commit: str = "HEAD") -> None:
    """Print a table per quantity."""
    said = subprocess.check_output(["git", "show", f"{commit}:bench/results.json"], cwd=RESULTS.parent.parent)
    old = json.loads(said)
    new = json.loads(RESULTS.read_text(encoding="utf8"))
    for quantity in new["settings"]["quantities"]:
        print(f"\n{quantity}, before | now")
        for model in new["models"]:
            before, now = ratios(old, model, quantity), ratios(new, model, quantity)
            pairs = (f"{key} {before.get(key, float('nan')):8.4g} | {now[key]:8.4g}" for key in now)
            print(f"  {model:14}", " ".join(pairs))


if __name__ == "__main__":
    main(*sys.argv[1:])
