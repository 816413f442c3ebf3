"""Parts of physics that a file switches off: what they would do is taken out of its compiled model."""

from __future__ import annotations

import numpy as np

from ..request import Request
from .compiled import Lines, MjModel, Names, mujoco

# What each part acts by. Versions of MuJoCo differ in the arrays that they have.
SWITCHES = {
    "spring": ("jnt_stiffness", "jnt_stiffnesspoly", "tendon_stiffness", "tendon_stiffnesspoly"),
    "damper": ("dof_damping", "dof_dampingpoly", "tendon_damping", "tendon_dampingpoly"),
    "limit": ("jnt_limited", "tendon_limited"),
    "equality": ("eq_active0",),
    "frictionloss": ("dof_frictionloss", "tendon_frictionloss"),
    "clampctrl": ("actuator_ctrllimited",),
}
SEVERAL = {"constraint": ("limit", "equality", "frictionloss", "contact"), "passive": ("spring", "damper")}


def disabled(m: MjModel) -> set[str]:
    """Names of what is switched off; which bit means what changes between versions."""
    bits = mujoco().mjtDisableBit
    named = {name: int(getattr(bits, name)) for name in dir(bits) if name.startswith("mjDSBL_")}
    off = {name.removeprefix("mjDSBL_").lower() for name, bit in named.items() if m.opt.disableflags & bit}
    return off.union(*(parts for name, parts in SEVERAL.items() if name in off))


def switch_off(m: MjModel, names: Names, request: Request, line: Lines) -> None:
    """Take out what is switched off; drives are read and told, since they act only where they are given."""
    off = disabled(m)
    for array in (array for name in off & SWITCHES.keys() for array in SWITCHES[name]):
        if hasattr(m, array):
            getattr(m, array)[:] = 0
    if "gravity" in off:
        m.opt.gravity[:] = 0
    if {"spring", "damper"} <= off:  # both together are all passive forces to MuJoCo
        m.body_gravcomp[:] = 0
        m.opt.density = m.opt.viscosity = 0.0
    lifted = np.flatnonzero(m.body_gravcomp)
    if not np.any(m.body_gravcomp[lifted] > 0):
        for name in (names.of("body", int(k)) for k in lifted):
            sentence = f"body {name!r}: MuJoCo heeds a negative gravcomp beside positive ones alone; not read"
            request.report.warn(line("body", name), "gravcomp", sentence)
        m.body_gravcomp[:] = 0
    groups = int(getattr(m.opt, "disableactuator", 0))
    for k, group in enumerate(np.ravel(m.actuator_group)):
        if "actuation" in off or (0 <= group < 31 and groups >> int(group) & 1):
            name = names.of("actuator", k)
            sentence = f"actuator {name!r} is switched off by the file; it is read, and acts where it is given to a run"
            request.report.warn(line("actuator", name), "actuator", sentence)
