"""A bracelet: tori that hang in one another, all around, and back to the first."""

from __future__ import annotations

import math
from dataclasses import replace

from anyjoint.errors import InputError
from anyjoint.joints import OnSurface
from anyjoint.mechanism import Mechanism, shapes
from anyjoint.spatial import Pose

from .palette import CORAL
from .tori import LINKED, MAJOR, MINOR, RING, SOLID


def bracelet(n: int = 8, damping: float = 0.01) -> Mechanism:
    """n tori in a ring, n a multiple of four; the first hangs over a fixed point, and the last is linked with it too.

    At the start the ring is a regular polygon. Every second torus lies in its plane and bends the chain, by twice the
    angle of a step; the others stand across and are passed straight through, on their inner equators.
    """
    if n < 8 or n % 4:
        raise InputError(f"bracelet(n={n}): a ring of crossed tori has a multiple of four of them, at least 8")
    idea = "A closed chain of tori: each slides on the next, and the last one on the first; one loop holds them all."
    mech = Mechanism(f"bracelet of {n} tori", description=idea)
    mech.draw(shapes.Sphere(0.4 * MINOR, color=CORAL))
    step = 2 * math.pi / n
    # The first torus lies in the ring's plane. It is held at its inner equator, at the top of the ring.
    held, down = OnSurface(RING, slide=True), Pose.rotation_x(math.pi)
    mech.add_body("torus0", None, held, down, SOLID, _look(0, n), damping=damping)
    q = [0.0, math.pi]
    leaves = math.pi / 2 + step  # where the next torus touches one that lies in the plane
    for k in range(1, n):
        mech.add_body(f"torus{k}", mech.bodies[-1], LINKED, None, SOLID, _look(k, n), damping=damping)
        q += _touch(k, leaves)
    mech.add_loop(f"torus{n - 1}", "torus0", LINKED, name="clasp")
    clasp = mech["clasp"]
    mech.replace_body(replace(clasp, shapes=(_look(0, n),)))
    q += _touch(n, leaves)
    mech.set_start(q)
    return mech


def _touch(k: int, leaves: float) -> list[float]:
    """(u1, v1, u2, v2) where torus k - 1 touches torus k; every other one in the plane faces the other way."""
    if k % 2:  # from one that lies in the plane to one across
        return [leaves if k % 4 == 1 else -leaves, math.pi, 0.0, math.pi]
    return [math.pi, math.pi, leaves if k % 4 == 2 else -leaves, math.pi]


def _look(k: int, n: int) -> shapes.Torus:
    return shapes.Torus(MAJOR, MINOR, color=shapes.shade(k if k <= n // 2 else n - k, n // 2 + 1))
