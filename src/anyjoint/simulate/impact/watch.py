"""What ends a stretch of a run: a limit that is met, or a stop that would have to pull."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from anyjoint.scalar.array import Floats

from ..events import Event, away_from_zero, locate
from ..hard_stop import Stop
from .between import Between
from .held import HELD

Value = Callable[[float, Floats, Floats], float]
CLEAR = 1e-12  # of a unit: a gap from which a limit can be met again
PULL = 1e-10  # of the accelerations: a stop that pulls no harder does so by rounding


class Watch:
    """Watches the stops of a run from one change to the next; `held` are those that coordinates rest against."""

    def __init__(self, stops: Sequence[Stop], held: Sequence[Stop], q: Floats, slack: float) -> None:
        self.held, self.free = tuple(held), tuple(stop for stop in stops if stop not in held)
        self.clear = np.array([stop.gap(q) > CLEAR for stop in self.free], dtype=bool)
        self.slack = slack  # of forces
        self.pulling: set[Stop] = set()  # stops that ended the stretch because they would have to pull
        self.stuck: set[Stop] = set()  # those from which a coordinate that was thrown back did not get away

    def first(self, between: Between) -> float | None:
        """When the stretch ends within a chunk, if it does."""
        gaps = np.array([stop.gap(between.q) for stop in self.free]).reshape(len(self.free), len(between.t))
        clear = np.maximum.accumulate(np.column_stack([self.clear, gaps > CLEAR]), axis=1)[:, 1:]
        met = np.where(clear[:, :-1], gaps[:, 1:] < 0, gaps[:, 1:] < -CLEAR)
        reached, released = list(self._met(between, met, clear)), list(self._released(between))
        found = [time for time, _, _ in reached] + [time for time, _ in released]
        ends = min([*found, *self._grazed(between, gaps)], default=None)
        self.clear, self.pulling = clear[:, -1], {stop for time, stop in released if time == ends}
        self.stuck = {stop for time, stop, away in reached if time == ends and not away}
        return ends

    def _met(self, between: Between, met: Floats, clear: Floats) -> Iterator[tuple[float, Stop, bool]]:
        """When which limits are met, in the first step in which some are, and whether they were away before."""
        if not met.any():
            return
        k = int(np.argmax(met.any(axis=0)))
        begin, end = float(between.t[k]), float(between.t[k + 1])
        for j in np.flatnonzero(met[:, k]):
            stop = self.free[j]
            gap = Event(_gap_of(stop))
            # One that has just been thrown back, and returns within the step, must be away first.
            since = begin if clear[j, k] else away_from_zero(gap, begin, end, between.state)
            yield begin if since is None else locate(gap, since, end, between.state), stop, since is not None

    def _grazed(self, between: Between, gaps: Floats) -> Iterator[float]:
        """When limits are met that are left again within the step: where a cubic through both states is beyond."""
        for stop, gap in zip(self.free, gaps, strict=True):
            speed, h = stop.speed(between.v), np.diff(between.t)
            turns = (speed[:-1] < 0) & (speed[1:] > 0) & (gap[1:] >= 0) & (gap[:-1] < -h * speed[:-1])
            for k in np.flatnonzero(turns):
                begin, value = float(between.t[k]), _gap_of(stop)
                lowest = begin + _turn(speed[k], speed[k + 1], gap[k + 1] - gap[k], h[k])
                if value(lowest, *between.state(lowest)) < -CLEAR:
                    yield locate(Event(value), begin, lowest, between.state) if gap[k] > 0 else begin
                    break

    def _released(self, between: Between) -> Iterator[tuple[float, Stop]]:
        """When a stop would have to pull: velocities of what is held, tiny as they are, tell its mean push."""
        for stop in self.held:
            value = self._push_of(stop, between)
            mean = -np.diff(stop.speed(between.v)) * HELD / np.diff(between.t)
            pulls = np.append(mean < -self.slack, False)
            pulls[-1] = value(float(between.t[-1]), between.q[-1], between.v[-1]) < 0
            if not pulls.any():
                continue
            k = max(int(np.argmax(pulls)), 1)
            while k > 1 and value(float(between.t[k - 1]), between.q[k - 1], between.v[k - 1]) < 0:
                k -= 1
            begin, end = float(between.t[k - 1]), float(between.t[min(k + 1, len(between.t) - 1)])
            yield self._release(value, between, begin, end), stop

    def _release(self, value: Value, between: Between, begin: float, end: float) -> float:
        if value(begin, *between.state(begin)) <= 0:
            return begin
        return locate(Event(value), begin, end, between.state) if value(end, *between.state(end)) < 0 else end

    def _push_of(self, stop: Stop, between: Between) -> Value:
        """The force with which a stop holds its coordinate, and a little more."""

        def value(t: float, q: Floats, v: Floats) -> float:
            a, _ = between.stepper.accelerate(t, q, v)
            return float(-stop.side * a[stop.rate] * HELD + self.slack)

        return value


def _gap_of(stop: Stop) -> Value:
    return lambda t, q, v: float(stop.gap(q))


def _turn(before: float, after: float, change: float, h: float) -> float:
    """When the cubic with these slopes at its ends, and this change between them, turns upwards."""
    a, b, c = 3 * (before + after) - 6 * change / h, 6 * change / h - 4 * before - 2 * after, before
    root = np.sqrt(max(b * b - 4 * a * c, 0.0))
    share = -2 * c / (b + root) if b + root > 0 else before / (before - after)
    return float(h * np.clip(share, 0.0, 1.0))
