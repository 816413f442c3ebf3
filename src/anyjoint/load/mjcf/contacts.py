"""Geoms of a compiled MJCF that touch each other: which pairs, and by which shapes and distances.

Balls and capsules touch planes, balls, capsules, boxes and cylinders; corners of boxes touch the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations

import numpy as np

from anyjoint.errors import AnyjointError
from anyjoint.frozen import frozen
from anyjoint.geometry import distances
from anyjoint.mechanism import Mechanism
from anyjoint.mechanism.shapes import Shape

from ..request import Request
from .compiled import Lines, MjModel, Names, mujoco
from .flags import disabled
from .shapes import BOX, CAPSULE, CYLINDER, ELLIPSOID, HFIELD, MESH, PLANE, SPHERE, Geoms, pose_of
from .welded import welded

KINDS = {PLANE: "plane", HFIELD: "height field", SPHERE: "sphere", CAPSULE: "capsule", ELLIPSOID: "ellipsoid",
         CYLINDER: "cylinder", BOX: "box", MESH: "mesh"}  # fmt: skip
ROUND = (SPHERE, CAPSULE)
TOUCHING = (*ROUND, BOX)
TOUCHED = (PLANE, SPHERE, CAPSULE, BOX, CYLINDER)
MOST = 500  # pairs of a body and a geom


@frozen
class Touch:
    """Two geoms that may touch, and Coulomb's coefficient between them."""

    geoms: tuple[int, int]
    friction: float
    pair: int = -1  # of those that the file names


def add_contacts(
    mech: Mechanism, m: MjModel, last: Mapping[int, str | None], names: Names, request: Request, line: Lines
) -> None:
    """Let geoms touch what they touch in MuJoCo: what stands still (contacts="ground"), or each other as well."""
    geoms, groups, told = Geoms(m, False), dict[tuple[int, int, float], list[Shape]](), set[str]()
    overridden = bool(m.opt.enableflags & int(mujoco().mjtEnableBit.mjENBL_OVERRIDE))
    to = welded(m)
    for touch in _touches(m):
        still = [int(to[m.geom_bodyid[g]]) == 0 for g in touch.geoms]
        if all(still) or (request.contacts == "ground" and not any(still)):
            continue
        roles = _roles(m, touch.geoms, still)
        if not roles:
            first, second = (f"{KINDS.get(int(m.geom_type[g]), 'geom')} {names.of('geom', g)!r}" for g in touch.geoms)
            sentence = f"{first} and {second} do not touch here; add a contact of some points of one of them"
            request.report.warn(line("geom", names.of("geom", touch.geoms[0])), "contact", sentence)
        told |= _unlike(m, touch)
        for own, other in roles:
            shape = geoms.shape(own)
            assert shape is not None
            friction = float(m.opt.o_friction[0]) if overridden and touch.friction else touch.friction
            groups.setdefault((int(m.geom_bodyid[own]), other, friction), []).append(shape)
        if len(groups) > MOST:
            request.report.error(0, "contact", f"more than {MOST} pairs may touch; add those that matter by hand")
            return
    for sentence in sorted(told):
        request.report.warn(0, "contact", sentence)
    for (body, other, friction), shapes in groups.items():
        at, on = pose_of(m.geom_pos[other], m.geom_quat[other]), _distance(m, other)
        of = last[int(m.geom_bodyid[other])] or mech.ground
        try:
            mech.add_contact(str(last[body]), shapes, on, of, at, friction)
        except AnyjointError as error:
            request.report.error(line("geom", names.of("geom", other)), "contact", str(error))


def _unlike(m: MjModel, touch: Touch) -> set[str]:
    """What geoms that touch have beyond shape and friction."""
    found = set()
    if any(m.geom_margin[g] for g in touch.geoms) or (touch.pair >= 0 and m.pair_margin[touch.pair]):
        found.add("some geoms have a margin, at which they touch in MuJoCo; here they touch at their surfaces")
    sticky = any(getattr(m, "geom_adhesion", np.zeros(m.ngeom))[g] for g in touch.geoms)
    if sticky or (touch.pair >= 0 and getattr(m, "pair_adhesion", np.zeros(m.npair))[touch.pair]):
        found.add("some geoms stick to each other in MuJoCo (adhesion); here they do not")
    return found


def _roles(m: MjModel, pair: tuple[int, int], still: list[bool]) -> list[tuple[int, int]]:
    """Which geom of a pair touches with its balls or corners, and which one is the solid that they meet."""
    able = [
        (own, other)
        for (own, other), fixed in zip((pair, pair[::-1]), still, strict=True)
        if not fixed and m.geom_type[own] in TOUCHING and m.geom_type[other] in TOUCHED
    ]
    # A ball or an axis meets all that there is; of two boxes each has corners that may meet the other.
    whole = [roles for roles in able if m.geom_type[roles[0]] in ROUND or m.geom_type[roles[1]] == PLANE]
    return whole[:1] or able


def _distance(m: MjModel, k: int) -> distances.Distance:
    a, b, c = (float(x) for x in m.geom_size[k])
    match int(m.geom_type[k]):
        case 2:
            return distances.Sphere(a)
        case 3:
            return distances.Capsule(a, 2 * b)
        case 5:
            return distances.Cylinder(a, 2 * b)
        case 6:
            return distances.Box(2 * a, 2 * b, 2 * c)
    return distances.HalfSpace()


def _touches(m: MjModel) -> Iterator[Touch]:
    """Pairs by MuJoCo's rules: those that the file names, then those whose bits meet and that nothing keeps apart."""
    named = set()
    for k in range(m.npair):
        first, second = int(m.pair_geom1[k]), int(m.pair_geom2[k])
        named.add(frozenset((first, second)))
        yield Touch((first, second), float(m.pair_friction[k][0]) if m.pair_dim[k] > 1 else 0.0, k)
    apart, filtered = {int(x) for x in m.exclude_signature}, "filterparent" not in disabled(m)
    kinds, others, bodies = m.geom_contype.tolist(), m.geom_conaffinity.tolist(), m.geom_bodyid.tolist()
    for first, second in combinations([g for g in range(m.ngeom) if kinds[g] or others[g]], 2):
        low, high = sorted((bodies[first], bodies[second]))
        meant = kinds[first] & others[second] or kinds[second] & others[first]
        if not meant or (low << 16) + high in apart or frozenset((first, second)) in named:
            continue
        if not _joined(m, low, high, filtered):
            yield Touch((first, second), _friction(m, first, second))


def _joined(m: MjModel, first: int, second: int, filtered: bool) -> bool:
    """Whether two bodies are one, welded, or parent and child if those are `filtered`; all touch what stands still."""
    a, b = int(m.body_weldid[first]), int(m.body_weldid[second])
    if a == b:
        return True
    above = [int(m.body_weldid[m.body_parentid[x]]) for x in (a, b)]
    return bool(filtered and a and b and (above[0] == b or above[1] == a))


def _friction(m: MjModel, first: int, second: int) -> float:
    """Of the geom that is of higher priority, or the larger one."""
    order = int(m.geom_priority[first]) - int(m.geom_priority[second])
    pair = [first, second] if order == 0 else [first if order > 0 else second]
    return max(float(m.geom_friction[g][0]) for g in pair) if max(m.geom_condim[g] for g in pair) > 1 else 0.0
