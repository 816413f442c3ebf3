"""Live pages: the generated JavaScript dynamics travel in the page and are integrated in the browser.

The script defines `makeDynamics()`, which returns an object with
`nq, nv, nb, damped, driven, constrained, still` (whether forces or given motions change the energy, whether coordinates
depend on each other, and whether it can only be posed); `step(q, v, extra, dt)`, which moves q and v on by dt seconds,
where extra is `{gravity, wrenches, damping, time}` (wrenches: 6 per body, torque first, in the body's frame, or null;
damping: force per velocity, on all), and remembers what the method has to until q, v or time are changed by others;
`chooses`, whether it does so by steps of its own lengths; `poses(q, out)` (row-major 3x4 per body);
`energy(q, v, gravity)` -> [kinetic, potential]; and `touches`, how many points contacts have, with `touched`: of each
of them where it was in the last step, its normal and the force there, 9 numbers in the world. Where bodies ride on
something, the script also defines `makeContacts()`; see contact.py.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from anyjoint.errors import InputError
from anyjoint.scalar.array import ArrayLike
from anyjoint.stepper import STEPPERS
from anyjoint.view.contact import touching
from anyjoint.view.drawing import packed
from anyjoint.view.page import page_text, write_text
from anyjoint.view.record import body_drawings, count_text, ground_drawings, readable, up_direction
from anyjoint.view.scene import Scene

if TYPE_CHECKING:
    from anyjoint.joints import Coordinate
    from anyjoint.mechanism import Mechanism

MOST_SLIDERS = 60


def live_page(model_info: dict[str, Any], dynamics_js: str, path: str | Path) -> Path:
    """Write a page that integrates the given dynamics; `model_info` as from `model_info(mechanism, ...)`."""
    return write_text(page_text(live_scene(model_info), dynamics_js), path)


def model_info(
    mechanism: Mechanism, q0: ArrayLike | None = None, v0: ArrayLike | None = None, dt: float = 1e-3,
    title: str | None = None, description: str = "", method: str = "rk4", rtol: float = 1e-8, atol: float = 1e-10,
) -> dict[str, Any]:  # fmt: skip
    """What a live page needs to know about a mechanism, beside its dynamics."""
    start, speeds = mechanism.start or (mechanism.neutral, np.zeros(mechanism.nv))
    for name, given, n in (("q0", q0, mechanism.nq), ("v0", v0, mechanism.nv)):
        if given is not None and np.shape(given) != (n,):
            raise InputError(f"{name} has shape {np.shape(given)}; a live page starts from one state, ({n},)")
    return {
        "title": title or readable(mechanism.name),
        "description": description or mechanism.description,
        "bodies": body_drawings(mechanism),
        "constraints": len(mechanism.constraints),
        "fixed": ground_drawings(mechanism),
        "gravity": [float(x) for x in mechanism.gravity],
        "q0": start if q0 is None else q0,
        "v0": speeds if v0 is None else v0,
        "dt": dt,
        "method": method,
        "rtol": rtol,
        "atol": atol,
        "coordinates": _coordinates(mechanism),
        "contacts": touching(mechanism),
    }


def live_scene(info: dict[str, Any]) -> Scene:
    """The scene of a live page."""
    missing = [key for key in ("title", "bodies", "q0", "v0", "gravity") if key not in info]
    if missing:
        raise InputError(f"model_info lacks {', '.join(missing)}; make it with anyjoint.view.model_info(mechanism)")
    q0, v0, dt = np.asarray(info["q0"], dtype=float), np.asarray(info["v0"], dtype=float), float(info.get("dt", 1e-3))
    if not (np.isfinite(q0).all() and np.isfinite(v0).all()):
        raise InputError("a live page starts from finite numbers; q0 or v0 hold NaN or infinity")
    if not (dt > 0 and math.isfinite(dt)):
        raise InputError(f"dt={dt!r}: the step of a live page is a positive number of seconds, e.g. 1e-3")
    bodies = tuple(info["bodies"])
    nb, nv = len(bodies), len(v0)
    mass = sum(body.mass for body in bodies) or 1.0
    return Scene(
        title=info["title"],
        subtitle=f"{count_text(nb, nv, info.get('constraints', 0))}, {'posed' if info.get('still') else 'live'}",
        description=info.get("description", ""),
        bodies=bodies,
        fixed=tuple(info.get("fixed", ())),
        strands=tuple(info.get("strands", ())),
        up=up_direction(info["gravity"]),
        info={
            "Bodies": str(nb),
            "Coordinates": str(len(q0)),
            **({} if info.get("still") else {"Stepper": _stepper(info, dt)}),
            **info.get("info", {}),
        },
        options=info.get("options", {}),
        live={
            "q0": q0.tolist(),
            "v0": v0.tolist(),
            "dt": dt,
            "gravity": [float(x) for x in info["gravity"]],
            "damping_max": float(info.get("damping_max", mass)),
            "coordinates": _sliders(info.get("coordinates", ()), q0.tolist()),
            "contacts": list(info.get("contacts", ())),
            "falls": bool(info.get("falls")),
            **({} if info.get("levels") is None else {"levels": packed(info["levels"], "u1")}),
        },
    )


def _stepper(info: dict[str, Any], dt: float) -> str:
    """How a page steps, in words."""
    method = info.get("method", "rk4")
    if method in STEPPERS and STEPPERS[method].adaptive:
        return f"{method}, rtol {info.get('rtol', 1e-8):g}, atol {info.get('atol', 1e-10):g}, shown every {dt:g} s"
    return f"{method}, {dt:g} s"


def _coordinates(mechanism: Mechanism) -> list[dict[str, Any]]:
    out: list[dict[str, Any]] = []
    named = _names_of_files(mechanism)
    for body in mechanism.bodies:
        for k, coordinate in enumerate(body.joint.coordinates):
            out.append(
                {
                    "slides": body.joint.rates_are_velocities,  # parts of a quaternion mean nothing alone
                    "name": named.get((body.name, k), f"{body.name}, {coordinate.name}"),
                    "domain": _ends(coordinate),
                    "unit": coordinate.unit,
                    "period": coordinate.period if _ends(coordinate) == coordinate.domain else None,
                }
            )
    return out


def _names_of_files(mechanism: Mechanism) -> dict[tuple[str, int], str]:
    """What the file of a loaded mechanism calls its coordinates, or joints of one coordinate, by body and number."""
    source = mechanism.source
    if source is None:
        return {}
    single = {(body, 0): joint for joint, body in source.joints.items() if mechanism[body].joint.nq == 1}
    return single | {(body, k): name for name, (body, k) in source.coordinates.items()}


def _ends(coordinate: Coordinate) -> tuple[float, float]:
    """Where a coordinate moves: within its limits, where it has both."""
    low, high = coordinate.limits
    return (low, high) if math.isfinite(low) and math.isfinite(high) and low < high else coordinate.domain


def _sliders(coordinates: Sequence[dict[str, Any]], q0: list[float]) -> list[dict[str, Any]]:
    """Sliders for the first few coordinates: over one period about the start, else over the domain if bounded."""
    out = []
    sliding = [(k, c) for k, c in enumerate(coordinates) if c.get("slides", True)]
    for index, coordinate in sliding[:MOST_SLIDERS]:
        low, high = (float(x) for x in coordinate.get("domain", (-math.pi, math.pi)))
        period = coordinate.get("period")
        if period or not (math.isfinite(low) and math.isfinite(high)):
            half = (period or 2 * math.pi) / 2
            low, high = q0[index] - half, q0[index] + half
        low, high = min(low, q0[index]), max(high, q0[index])
        entry = {
            "name": coordinate["name"],
            "index": index,
            "min": low,
            "max": high,
            "unit": coordinate.get("unit", ""),
        }
        out.append(entry)
    return out
