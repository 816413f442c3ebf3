"""The last look at a loaded mechanism: its own rules, told with the lines of the file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from anyjoint.mechanism import Mechanism, Source
from anyjoint.mechanism.checks import IDLE

from .request import Request

MOST = 4  # coordinates that a warning names
MASS = "which moves no inertia; there is no forward dynamics until it has mass and extent"
MOTION = "which moves nothing; there is no forward dynamics until functions of its joint change with it"


def finished(mech: Mechanism, request: Request, lines: Mapping[str, int], source: Source) -> Mechanism:
    """The mechanism with its source; `lines` says where bodies, by name, and "constraint 'name'" stand in the file."""
    report, idle, lacks = request.report, dict[str, list[str]](), dict[str, str]()
    for problem in mech.check():
        body = _part(problem.where)
        if problem.rule == "regular":
            idle.setdefault(body, []).append(problem.where.rpartition("coordinate ")[2])
            lacks[body] = MOTION if problem.message == IDLE else MASS
        else:
            report.error(lines.get(body, 0), problem.rule, f"{problem.where}: {problem.message}")
    for body, coordinates in idle.items():
        report.warn(lines.get(body, 0), "massless", f"{body!r} moves by {', '.join(coordinates)}, {lacks[body]}")
    report.check()
    if source.format != "anyjoint" or mech.start is None:  # ours say what they mean
        _start_within_limits(mech, request)
    mech.source = replace(source, warnings=report.warnings, notes=report.notes)
    return mech


def _start_within_limits(mech: Mechanism, request: Request) -> None:
    """Where zero, or the file's own start, is beyond the limits of a joint, runs begin at the nearest limit."""
    named = [(f"{body.name}/{c.name}", c) for body in mech.bodies for c in body.joint.coordinates]
    given, speeds = mech.start or (mech.neutral, np.zeros(mech.nv))
    start = [min(max(float(x), c.limits[0]), c.limits[1]) for x, (_, c) in zip(given, named, strict=True)]
    beyond = [name for (name, _), x, y in zip(named, given, start, strict=True) if x != y]
    if not beyond:
        return
    if mech.start is not None:
        many = "a limit" if len(beyond) == 1 else f"limits of {len(beyond)} coordinates"
        what = f"it starts beyond {many} ({', '.join(beyond[:MOST])})"
        request.report.warn(0, "start", f"{what}; runs begin at the limits, so that nothing is thrown")
    mech.set_start(start, speeds.tolist())


def _part(where: str) -> str:
    """The body in `body 'name', coordinate 'angle'`, or all of `constraint 'name'`."""
    name = where.removeprefix("body ")
    return where if name == where else name.partition(", coordinate ")[0][1:-1]
