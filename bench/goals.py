"""The goals that a run is held against, computed from its results."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

Results = dict[str, Any]
SMALL = ("UR5", "Panda")
LARGE = "RC100"


@dataclass(frozen=True)
class Goal:
    """One goal on one model: `value` should be at least (or at most) `target`."""

    goal: str
    model: str
    value: float
    target: float
    at_most: bool = False

    @property
    def met(self) -> bool:
        """Whether the number reaches the target."""
        return self.value <= self.target if self.at_most else self.value >= self.target

    def record(self) -> dict[str, Any]:
        """For JSON."""
        return {**asdict(self), "met": self.met}


def evaluate(results: Results) -> list[Goal]:
    """Every goal that the results can answer."""
    goals: list[Goal] = []
    for name, model in results["models"].items():
        ours = model["engines"].get("anyjoint", {})
        if ours.get("times"):
            goals += _one_state(name, model, ours) + _batches(name, model, ours) + _costs(name, ours)
    return goals + _price_of_any_joint(results)


def best_time(model: dict[str, Any], prefix: str, quantity: str) -> float | None:
    """Best time among the engines whose key starts with `prefix` (all peers: an empty prefix)."""
    times = [
        engine["times"][quantity]
        for key, engine in model["engines"].items()
        if key != "anyjoint" and key.startswith(prefix) and quantity in engine.get("times", {})
    ]
    return min(times, default=None)


def _one_state(name: str, model: dict[str, Any], ours: dict[str, Any]) -> list[Goal]:
    wanted = [
        ("one state, forward dynamics, over Pinocchio C++", "pinocchio", "forward_dynamics", 3.0),
        ("one state, forward dynamics, over CasADi C", "casadi", "forward_dynamics", 1.5 if name in SMALL else 2.0),
        ("one state, inverse dynamics, over the best peer", "", "inverse_dynamics", 1.5),
    ]
    if name == LARGE:
        wanted.append(("one state, mass matrix, over Pinocchio C++", "pinocchio", "mass_matrix", 2.0))
    return [
        Goal(goal, name, peer / ours["times"][quantity], target)
        for goal, prefix, quantity, target in wanted
        if quantity in ours["times"] and (peer := best_time(model, prefix, quantity))
    ]


def _batches(name: str, model: dict[str, Any], ours: dict[str, Any]) -> list[Goal]:
    peer = best_time(model, "pinocchio", "forward_dynamics")
    goals = []
    for kind, target in (("float64", 12.0), ("float32", 25.0)):
        time = ours.get("batch", {}).get(kind, {}).get("forward_dynamics")
        if time and peer:
            goals.append(Goal(f"batch of 4096, {kind}, over Pinocchio C++", name, peer / time, target))
    return goals


def _costs(name: str, ours: dict[str, Any]) -> list[Goal]:
    goals = []
    if two := ours.get("two_threads"):
        goals.append(Goal("two threads over one", name, ours["batch"]["float64"]["forward_dynamics"] / two, 1.8))
    if call := ours.get("python_call"):
        overhead = (call["forward_dynamics"] - ours["times"]["forward_dynamics"]) / 1000
        goals.append(Goal("overhead of a call from Python, microseconds", name, overhead, 3.0, at_most=True))
    if compile_times := ours.get("compile"):
        goals.append(Goal("cold compile, seconds", name, compile_times["cold"], 2.0, at_most=True))
        goals.append(
            Goal("compile from the cache, milliseconds", name, 1e3 * compile_times["cached"], 50.0, at_most=True)
        )
    return goals


def _price_of_any_joint(results: Results) -> list[Goal]:
    """Cost per coordinate of twenty tori against a hundred hinges."""
    per_coordinate = {}
    for name in ("TC20", "RC100"):
        model = results["models"].get(name, {})
        time = model.get("engines", {}).get("anyjoint", {}).get("times", {}).get("forward_dynamics")
        if time:
            per_coordinate[name] = time / model["nv"]
    if len(per_coordinate) < 2:
        return []
    ratio = per_coordinate["TC20"] / per_coordinate["RC100"]
    return [Goal("cost per coordinate, TC20 over RC100", "TC20", ratio, 1.0, at_most=True)]
