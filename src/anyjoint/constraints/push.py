"""Forces as rows: measures of poses and coordinates, and what pushes along them.

A push says what it measures, s, such as the line from one point to another, and with which effort e(s, sdot) it works
on each rate sdot: its power is e . sdot. From these two functions everything else is derived by D*: the wrenches on
bodies, and how they change with positions and velocities, which implicit steps want to know.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from anyjoint.errors import InputError
from anyjoint.frozen import frozen
from anyjoint.joints.function import as_array
from anyjoint.scalar import Scalar
from anyjoint.spatial import Pose, Twist, Vector

from .constraint import Coordinate

Scalars = Sequence[Scalar]
Measure = Callable[..., Any]  # (pose, ..., [coordinates,] numbers) -> s, or of poses and twists -> sdot
EffortOf = Callable[[Any, Any, Any, Any], Any]  # (s, sdot, numbers, signals) -> e
EnergyOf = Callable[[Any, Any], Scalar]  # (s, numbers) -> the energy stored


@frozen(eq=False, kw_only=True)
class Push:
    """Efforts along measures. `bodies` are indices into `mech.bodies`, -1 for the ground.

    Functions are of the numbers, not closures over them: pushes that differ in numbers alone share their code.
    `signals` are functions of time. With `velocity` the measure is of speeds, linear in twists and rates: its arguments
    are a pose and a twist for each body, then coordinates and their rates; s is then what `seen` says of poses and
    coordinates, if anything.

    What is negative in the slopes of a push is left out of implicit steps, which would go the wrong way where they are
    long; `exact` keeps it, and takes slopes by twists, as RedMax does.
    """

    what: str
    measure: Measure
    effort: EffortOf
    bodies: tuple[int, ...] = ()
    coordinates: tuple[Coordinate, ...] = ()
    numbers: tuple[float, ...] = ()
    signals: tuple[Callable[[float], float], ...] = ()
    energy: EnergyOf | None = None
    velocity: bool = False
    seen: Measure | None = None
    exact: bool = False

    @property
    def kind(self) -> Hashable:
        """What makes two pushes the same expressions."""
        grounded = tuple(body < 0 for body in self.bodies)
        sizes = len(self.coordinates), len(self.numbers), len(self.signals)
        return self.measure, self.effort, grounded, sizes, self.velocity, self.seen, self.exact

    def measured(
        self, poses: Sequence[Pose], twists: Sequence[Twist], q: Scalars, qd: Scalars, numbers: Scalars
    ) -> list[Scalar]:
        """What is measured: s, or speeds."""
        if self.velocity:
            places: list[Pose | Twist | Vector] = [x for pair in zip(poses, twists, strict=True) for x in pair]
            places += [as_array(q), as_array(qd)] if self.coordinates else []
        else:
            places = [*poses, *([as_array(q)] if self.coordinates else [])]
        return listed(self.measure(*places, as_array(numbers)))

    def sight(self, poses: Sequence[Pose], q: Scalars, numbers: Scalars) -> list[Scalar]:
        """What efforts along speeds know beside them."""
        places: list[Pose | Twist | Vector] = [*poses, *([as_array(q)] if self.coordinates else [])]
        return listed(self.seen(*places, as_array(numbers))) if self.seen else []

    def efforts(self, s: Scalars, rate: Scalars, numbers: Scalars, signals: Scalars) -> list[Scalar]:
        """The efforts along what is measured."""
        made = listed(self.effort(as_array(s), as_array(rate), as_array(numbers), as_array(signals)))
        if len(made) != len(rate):
            raise InputError(f"{self.what}: {len(made)} efforts for {len(rate)} measures; give one for each of them")
        return made


def with_ground(push: Push, poses: Mapping[int, Pose]) -> Push:
    """The push with bodies that never move, whose poses are given, in the place of the ground: links are what moves."""
    places = {k: poses[body] for k, body in enumerate(push.bodies) if body in poses}
    if not places:
        return push

    def standing(function: Measure, step: int) -> Measure:
        built_in = {step * k: pose for k, pose in places.items()}
        return lambda *arguments: function(*(built_in.get(k, x) for k, x in enumerate(arguments)))

    return replace(
        push,
        bodies=tuple(-1 if k in places else body for k, body in enumerate(push.bodies)),
        measure=standing(push.measure, 2 if push.velocity else 1),  # a twist stands behind each pose
        seen=standing(push.seen, 1) if push.seen else None,
    )


def listed(values: Any) -> list[Scalar]:
    """One number or several, as a list."""
    return list(np.ravel(np.asarray(values, dtype=object)))
