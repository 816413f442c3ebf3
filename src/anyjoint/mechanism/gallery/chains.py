"""Chains of hinges, the bread and butter of benchmarks."""

from __future__ import annotations

import numpy as np

from anyjoint.errors import InputError
from anyjoint.joints import Revolute
from anyjoint.mechanism import Inertia, Mechanism, shapes
from anyjoint.spatial import Pose


def revolute_chain(n: int = 20, geometry: str = "generic", seed: int = 0) -> Mechanism:
    """A chain of n hinges (RC20, RC50, RC100 of Si & Guenter's Table 1).

    "generic": random axes, placements and inertias, no zeros anywhere; "simple": axes alternate between y and x, links
    are rods along z with diagonal inertias.
    """
    if n < 1:
        raise InputError(f"revolute_chain(n={n}): a chain has at least one link")
    if geometry not in ("generic", "simple"):
        raise InputError(f'revolute_chain(geometry={geometry!r}): give "generic" or "simple"')
    return _generic(n, seed) if geometry == "generic" else _simple(n)


def _generic(n: int, seed: int) -> Mechanism:
    rng = np.random.default_rng(seed)
    mech = Mechanism(f"{n} generic hinges", description="A chain of hinges in general position: no zero anywhere.")
    offsets = rng.normal(size=(n + 1, 3)) * 0.2 + [0.3, 0.0, -0.2]
    for k in range(n):
        at = offsets[k] if k else np.zeros(3)
        placement = Pose.translation(*at.tolist()) @ Pose.rpy(*rng.uniform(-1, 1, 3).tolist())
        x, y, z = rng.uniform(0.1, 0.5, 3).tolist()
        middle = Pose.translation(*(offsets[k + 1] / 2).tolist()) @ Pose.rpy(*rng.uniform(-1, 1, 3).tolist())
        solid = Inertia.box(float(rng.uniform(0.5, 2.0)), x, y, z).moved(middle)
        link = shapes.rod((0, 0, 0), offsets[k + 1].tolist(), 0.03, shapes.shade(k, n))
        hinge = Revolute(tuple(rng.normal(size=3).tolist()))
        mech.add_body(f"link{k}", mech.bodies[-1] if k else None, hinge, placement, solid, link)
    mech.set_start(rng.uniform(-0.5, 0.5, n).tolist())
    return mech


def _simple(n: int, length: float = 0.25) -> Mechanism:
    mech = Mechanism(f"{n} simple hinges", description="A chain of rods, its hinges about y and x in turn.")
    solid = Inertia.cylinder(0.5, 0.03, length).moved(Pose.translation(0, 0, -length / 2))
    for k in range(n):
        axis = (0, 1, 0) if k % 2 == 0 else (1, 0, 0)
        placement = Pose.translation(0, 0, -length) if k else Pose()
        link = shapes.rod((0, 0, 0), (0, 0, -length), 0.03, shapes.shade(k, n))
        mech.add_body(f"link{k}", mech.bodies[-1] if k else None, Revolute(axis), placement, solid, link)
    angles = [0.15 if k % 2 == 0 else 0.05 for k in range(n)]
    mech.set_start([1.2, *angles[1:]][:n])
    return mech
