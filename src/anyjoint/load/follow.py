"""Joints that follow others by a line: chains of them resolved to the joint that leads, and what it then feels."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace

from anyjoint.frozen import frozen
from anyjoint.joints import Coupled, Joint


@frozen
class Line:
    """The coordinate of a joint that follows: slope * (the leader's coordinate) + intercept.

    In a chain, `over` is the joint that it follows itself, and the line from that one.
    """

    slope: float
    intercept: float = 0.0
    over: tuple[str, Line] | None = None

    def after(self, other: Line) -> Line:
        """This line of another line's value."""
        return Line(self.slope * other.slope, self.slope * other.intercept + self.intercept)

    def inverse(self) -> Line:
        """The leader's coordinate as a line of that of the joint that follows; the slope must not be zero."""
        return Line(1 / self.slope, -self.intercept / self.slope)

    def is_close(self, other: Line) -> bool:
        """Whether another line is the same but for rounding."""
        slack = 1e-12 * (1.0 + abs(self.intercept))
        return math.isclose(self.slope, other.slope, rel_tol=1e-12) and abs(self.intercept - other.intercept) <= slack


def coupled(joint: Joint, line: Line, source: str) -> Coupled:
    """A joint of one coordinate that follows the first of another body's."""
    return Coupled(joint, line.slope, source, line.intercept)


def chained(
    following: Mapping[str, tuple[str, Line]], joints: Mapping[str, Joint], bodies: Mapping[str, str]
) -> dict[str, Coupled]:
    """Of bodies whose joints follow over another one that follows: the joint as it follows that one."""
    lines = {name: line.over for name, (_, line) in following.items() if line.over}
    return {bodies[name]: coupled(joints[name], line, bodies[over]) for name, (over, line) in lines.items()}


def beyond(line: Line, leads: tuple[float, float], own: tuple[float, float]) -> tuple[float, float] | None:
    """From where to where a joint moves while its leader keeps its limits, if that is out of its own limits."""
    if not line.slope:
        return None
    low, high = sorted(line.slope * x + line.intercept for x in leads)
    slack = 1e-6 * (1.0 + sum(abs(x) for x in own if math.isfinite(x)))
    return (low, high) if low < own[0] - slack or high > own[1] + slack else None


def leaders(
    follows: Mapping[str, tuple[str, Line]], complain: Callable[[str, str], None]
) -> dict[str, tuple[str, Line]]:
    """For each joint that follows: the joint that leads in the end, and the line from it.

    `complain(joint, message)` is told of circles; joints in them are left out.
    """
    found = {}
    for name in follows:
        chain, (leader, line) = [name], follows[name]
        while leader in follows and leader not in chain:
            chain.append(leader)
            leader, line = follows[leader][0], line.after(follows[leader][1])
        if leader in chain:
            complain(name, f"joint {name!r} follows itself: {' -> '.join([*chain, leader])}; let one of them lead")
        else:
            found[name] = leader, replace(line, over=follows[name] if len(chain) > 1 else None)
    return found


@frozen
class Felt:
    """What a coordinate feels of its own: springs that relax at `rest`, damping, armature, dry friction."""

    stiffness: float = 0.0
    damping: float = 0.0
    armature: float = 0.0
    friction: float = 0.0
    rest: float = 0.0

    def reflected(self, line: Line) -> Felt:
        """The same as the leader of a line feels it."""
        square, friction = line.slope**2, abs(line.slope) * self.friction
        rest = (self.rest - line.intercept) / line.slope if line.slope else 0.0
        return Felt(square * self.stiffness, square * self.damping, square * self.armature, friction, rest)

    def __add__(self, other: Felt) -> Felt:
        """Both at once; two springs relax where their forces cancel."""
        stiffness = self.stiffness + other.stiffness
        rest = self.rest
        if other.stiffness:
            rest = (self.stiffness * self.rest + other.stiffness * other.rest) / stiffness
        damping, armature = self.damping + other.damping, self.armature + other.armature
        return Felt(stiffness, damping, armature, self.friction + other.friction, rest)
