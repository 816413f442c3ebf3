"""Figure 8 of Guenter & Lee: a step of a bead along its wire, and one along the tangent, which leaves the wire.

A bead falls along a wavy wire. At the middle of its run one step is taken twice from the same state: in the coordinate
along the wire, as any model here does, and along the tangent in space, as a method does that has the wire as an
equation to be satisfied afterwards. How far each ends from the wire is measured.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

import anyjoint as aj
from anyjoint import curves, joints
from bench.pages import figure, save

STEPS = {"1/240 s": 1 / 240, "1/60 s": 1 / 60, "1/30 s": 1 / 30, "1/10 s": 1 / 10}
START, SECONDS = 0.3, 0.75
Array = np.ndarray[Any, np.dtype[Any]]


def wire(s: Any) -> tuple[Any, Any, Any]:
    """A wire that falls in waves."""
    return s, 0.0 * s, 0.5 * aj.cos(3.0 * s) - 0.4 * s


@cache
def bead() -> aj.Model:
    """A bead on the wire."""
    mech = aj.Mechanism("bead")
    ride = joints.OnCurve(curves.curve(wire, domain=(-1.0, 6.0)), frame="fixed-up")
    mech.add_body("bead", joint=ride, inertia=aj.Inertia.sphere(0.2, 0.05))
    return mech.compile()


def both(dt: float) -> tuple[Array, Array, Array]:
    """Where the bead is, where a step along the tangent takes it, and where one along the wire does."""
    model = bead()
    run = model.simulate([START], [0.0], duration=SECONDS, dt=1e-3)
    q, v = run.q[-1], run.v[-1]
    faster = v + dt * model.forward_dynamics(q, v)
    here, ahead = (model.body_poses(x)[0, :3, 3] for x in (q, q + 1e-6))
    behind = model.body_poses(q - 1e-6)[0, :3, 3]
    tangent = here + dt * float(faster[0]) * (ahead - behind) / 2e-6
    along, _ = model.step(q, v, dt=dt, method="semi-implicit-euler")
    return here, tangent, model.body_poses(along)[0, :3, 3]


def off_the_wire(point: Array) -> float:
    """The distance of a point from the wire, by Newton's method from the nearest of many points."""
    def way(s: float) -> Array:
        return np.array([float(x) for x in wire(s)]) - point

    s = float(min(np.linspace(-1.0, 6.0, 2001), key=lambda x: float(way(x) @ way(x))))
    for _ in range(20):
        slope, bend = np.array([1.0, 0.0, -1.5 * np.sin(3 * s) - 0.4]), np.array([0.0, 0.0, -4.5 * np.cos(3 * s)])
        s -= float(way(s) @ slope) / float(slope @ slope + way(s) @ bend)
    return float(np.linalg.norm(way(s)))


def table() -> list[list[str]]:
    """How far from the wire each kind of step ends."""
    rows = [["metres off the wire after one step of", *STEPS]]
    ends = [both(dt)[1:] for dt in STEPS.values()]
    rows.append(["along the tangent", *(f"{off_the_wire(tangent):.2g}" for tangent, _ in ends)])
    rows.append(["**along the wire**", *(f"{off_the_wire(along):.0e}" for _, along in ends)])
    return rows


def draw(dt: float = 1 / 10) -> None:
    """The two frames of the figure."""
    drawn, axes = figure(2, (9.0, 3.2))
    line = np.array([[float(x) for x in wire(float(s))] for s in np.linspace(-0.2, 3.2, 400)])
    here, tangent, along = both(dt)
    for ax, end, title in zip(axes[0], (tangent, along), ("(a) along the tangent", "(b) along the wire"), strict=True):
        ax.plot(line[:, 0], line[:, 2], color="#8a97a8", lw=3, solid_capstyle="round", zorder=1)
        ax.annotate("", end[[0, 2]], here[[0, 2]], arrowprops={"arrowstyle": "->", "color": "#e0a800", "lw": 2})
        ax.plot(*here[[0, 2]], "o", ms=9, color="#3d7ea6", zorder=3)
        ax.plot(*end[[0, 2]], "o", ms=9, mfc="none", color="#d1495b", zorder=3)
        ax.set(title=f"{title}, one step of 1/10 s", aspect="equal", xlabel="x, m")
    axes[0, 0].set_ylabel("z, m")
    save(drawn, "guenter-lee-figure-8")
