"""The stages of a Runge-Kutta step, one after the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .physics import Physics
from .step import STATE, Place, StepBuilder, Values


@dataclass(frozen=True)
class Stage:
    """Places of one stage: coordinates, velocities, dq/dt and dv/dt."""

    q: Place
    v: Place
    qdot: Place
    a: Place


class Stages:
    """The stages of a Runge-Kutta method, one after the other."""

    def __init__(self, builder: StepBuilder, physics: Physics, h: Place) -> None:
        self.builder, self.physics, self.h = builder, physics, h
        self.nq, self.nv = physics.nq, physics.nv
        self.made: list[Stage] = []

    def evaluate(self, weights: tuple[float, ...], drive: int) -> Stage:
        """Go h times weights along the rates so far, and find the rate there."""
        physics, room = self.physics, self.builder.room
        q, v = room(self.nq), room(self.nv)
        self.go(weights, q, v)
        a = room(self.nv)
        physics.accelerate(q, v, drive, a)
        stage = Stage(q, v, physics.rate(q, v, room(self.nq) if physics.has_rates else v), a)
        self.made.append(stage)
        return stage

    def go(self, weights: tuple[float, ...], q: Place, v: Place) -> None:
        """q and v of the state plus h times the weighted rates."""
        used = [(w, s) for w, s in zip(weights, self.made, strict=False) if w]
        x, y = (STATE, 0), (STATE, self.nq)
        rates = {f"k{i}": s.qdot for i, (_, s) in enumerate(used)}
        changes = {f"a{i}": s.a for i, (_, s) in enumerate(used)}
        scalars = {"h": self.h} if used else {}

        def forward(name: str, k: str) -> Any:
            return lambda values: {
                name: values[name] + values["h"] * weighted(values, k, used) if used else values[name]
            }

        move, change = forward("q", "k"), forward("v", "a")
        if self.nq == self.nv:
            inputs = {"q": x, "v": y} | rates | changes
            self.builder.pointwise(
                self.nq, inputs, scalars, {"q": q, "v": v}, lambda values: move(values) | change(values)
            )
        else:
            self.builder.pointwise(self.nq, {"q": x} | rates, scalars, {"q": q}, move)
            self.builder.pointwise(self.nv, {"v": y} | changes, scalars, {"v": v}, change)


def weighted(values: Values, k: str, used: list[tuple[float, Stage]]) -> Any:
    """The sum of rates times their weights."""
    total: Any = 0.0
    for i, (weight, _) in enumerate(used):
        total = total + weight * values[f"{k}{i}"]
    return total
