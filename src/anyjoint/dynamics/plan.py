"""The plan of a mechanism: which links move, in which inner frames, with which numbers.

Inner frames are ours to choose, because accelerations and generalized forces never show them. Bodies welded together
become one link. A hinge or slider gets z as its axis, and each link's frame is turned and shifted about that axis
so that the constant pose to one child is Rot_x(alpha) Trans(a, 0, r) (see denavit.py).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from anyjoint.joints import Joint
from anyjoint.joints.prismatic import Prismatic
from anyjoint.joints.product_rule import factor_entries
from anyjoint.joints.revolute import Revolute
from anyjoint.scalar.dual import Dual
from anyjoint.spatial import Pose, frame_about

from .denavit import Array, common_normal, homogeneous, rotation_x, rotation_z, screw_z

HINGE, SLIDER, GENERAL = "hinge", "slider", "general"


@dataclass(frozen=True)
class Link:
    """One moving link: all bodies welded to the body `body`, in the inner frame that follows the joint.

    The pose from the parent link's frame is Rot_z(gamma) Rot_x(alpha) Trans(p) [Rot_z(theta)] V(q), with V the joint's
    moving part; for a hinge and a slider theta and p_z are joined with the coordinate.
    """

    body: int
    parent: int
    kind: str
    joint: Joint
    core: tuple[int, int, int]  # constant factors stripped: leading and trailing of leg A, leading of leg B
    gamma: float
    sin_alpha: float
    cos_alpha: float
    p: tuple[float, float, float]
    theta: float
    inertia: Array  # 6x6, in the link's frame
    frame: Array  # the body's own frame in the link's frame
    q: slice
    v: slice
    prescribed: bool = False  # in hybrid dynamics: accelerations are given, forces come out
    slot: int = 0  # how many siblings come before it


@dataclass(frozen=True)
class Plan:
    """Links, parents first, and where each body of the mechanism rides: (link or -1, its frame in the link's)."""

    links: tuple[Link, ...]
    placed: tuple[tuple[int, Array], ...] = field(repr=False)

    @property
    def parents(self) -> list[int]:
        return [link.parent for link in self.links]


@dataclass
class _Draft:
    """A link while its frame is being chosen."""

    body: Any
    parent: int
    kind: str
    core: tuple[int, int, int]
    K: Array  # constant pose from the parent's natural frame to the joint's moving part
    tail: Array  # the body's own frame in the natural frame after the moving part
    inertia: Array
    turn: Array = field(default_factory=lambda: np.eye(4))  # chosen frame in the natural frame


def make_plan(mechanism: Any, *, canonical: bool = True, regroup: bool = False) -> Plan:
    """Choose links and frames; `regroup` also moves inertia that a joint does not feel to the parent link."""
    drafts, placed = _weld(mechanism)
    if canonical:
        _choose_frames(drafts)
    links = [_link(drafts, i) for i in range(len(drafts))]
    if regroup:
        links = regroup_inertia(links)
    links = [replace(link, slot=slot) for link, slot in zip(links, _slots(drafts), strict=True)]
    turned = [(k, inverse(drafts[k].turn) @ T if k >= 0 else T) for k, T in placed]
    return Plan(tuple(links), tuple(turned))


def _slots(drafts: list[_Draft]) -> list[int]:
    seen: dict[int, int] = {}
    slots = []
    for draft in drafts:
        slots.append(seen.get(draft.parent, 0))
        seen[draft.parent] = slots[-1] + 1
    return slots


def _weld(mechanism: Any) -> tuple[list[_Draft], list[tuple[int, Array]]]:
    """One draft per moving body; bodies without coordinates are welded into the link that carries them."""
    drafts: list[_Draft] = []
    placed: list[tuple[int, Array]] = []
    for body in mechanism.bodies:
        carrier, carried = placed[body.parent] if body.parent >= 0 else (-1, np.eye(4))
        base = carried @ body.placement.matrix.astype(float)
        if body.joint.nv == 0:
            here = base @ body.joint.pose([]).matrix.astype(float)
            placed.append((carrier, here))
            if carrier >= 0:
                drafts[carrier].inertia = drafts[carrier].inertia + moved(body.inertia.spatial(), here)
            continue
        kind, core, lead, tail = moving_part(body.joint)
        drafts.append(_Draft(body, carrier, kind, core, base @ lead, tail, moved(body.inertia.spatial(), tail)))
        placed.append((len(drafts) - 1, tail))
    return drafts, placed


def moving_part(joint: Joint) -> tuple[str, tuple[int, int, int], Array, Array]:
    """Kind of a joint, the constant factors around its moving part (counts), and their poses (lead, tail)."""
    if isinstance(joint, (Revolute, Prismatic)):
        Q = homogeneous(frame_about(joint.axis), (0.0, 0.0, 0.0))
        return (HINGE if isinstance(joint, Revolute) else SLIDER), (0, 0, 0), Q, Q.T
    if type(joint).motion is not Joint.motion:
        return GENERAL, (0, 0, 0), np.eye(4), np.eye(4)
    A, B = joint.legs([Dual(_somewhere(c), 1.0, 1) for c in joint.coordinates])
    constant = [_is_constant(f) for f in A.factors]
    lead = constant.index(False) if False in constant else 0
    tail = constant[::-1].index(False) if False in constant and not B.factors else 0
    constant_B = [_is_constant(f) for f in B.factors]
    lead_B = constant_B.index(False) if False in constant_B else 0
    stop = len(A.factors) - tail
    after = Pose(A.factors[stop:]) if not B.factors else Pose(B.factors[:lead_B]).inverse()
    return GENERAL, (lead, tail, lead_B), _matrix(Pose(A.factors[:lead])), _matrix(after)


def _somewhere(c: Any) -> float:
    """A generic value inside a coordinate's domain; neutral ones may be special, such as a surface's pole."""
    low, high = c.domain
    room = high - c.neutral if high > c.neutral else low - c.neutral
    return float(c.neutral + 0.137 * min(1.0, max(-1.0, room)))


def stripped_legs(joint: Joint, core: tuple[int, int, int]) -> Any:
    """The joint's legs without the constant factors that the plan has taken over."""
    lead, tail, lead_B = core

    def legs(q: Any) -> tuple[Pose, Pose]:
        A, B = joint.legs(q)
        return Pose(A.factors[lead : len(A.factors) - tail]), Pose(B.factors[lead_B:])

    return legs


def _is_constant(factor: Any) -> bool:
    return not any(isinstance(x, Dual) for x in factor_entries(factor))


def _matrix(pose: Pose) -> Array:
    return np.asarray(pose.matrix, dtype=float)


def _choose_frames(drafts: list[_Draft]) -> None:
    """Turn and shift each hinge's or slider's frame so that its first child has a common normal along x."""
    chosen: set[int] = set()
    for draft in drafts:
        parent = draft.parent
        if parent >= 0 and parent not in chosen and drafts[parent].kind != GENERAL:
            chosen.add(parent)
            normal = common_normal(draft.K)
            drafts[parent].turn = screw_z(normal.gamma, normal.delta)


def _link(drafts: list[_Draft], i: int) -> Link:
    draft = drafts[i]
    turn, untwist = draft.turn, inverse(draft.turn)
    K = inverse(drafts[draft.parent].turn) @ draft.K if draft.parent >= 0 else draft.K
    if draft.kind != GENERAL:
        K = K @ turn  # the turn commutes with a motion about z, so it may stand before the coordinate
    normal = common_normal(K)
    # Trans_z(delta) on the parent's side joins the shift: Rot_x(alpha)^-1 (0, 0, delta).
    shift = rotation_x(normal.sin_alpha, normal.cos_alpha).T @ np.array([0.0, 0.0, normal.delta])
    p = shift + np.array([normal.a, 0.0, normal.r])
    return Link(
        body=draft.body.index,
        parent=draft.parent,
        kind=draft.kind,
        joint=draft.body.joint,
        core=draft.core,
        gamma=normal.gamma,
        sin_alpha=normal.sin_alpha,
        cos_alpha=normal.cos_alpha,
        p=(float(p[0]), float(p[1]), float(p[2])),
        theta=normal.theta,
        inertia=moved(draft.inertia, untwist),
        frame=untwist @ draft.tail,
        q=draft.body.q,
        v=draft.body.v,
    )


def moved(J: Array, T: Array) -> Array:
    """A spatial inertia given in a frame, seen from the frame in which that one has pose T."""
    X = adjoint(inverse(T))
    moved_inertia: Array = X.T @ J @ X
    return moved_inertia


def inverse(T: Array) -> Array:
    """The inverse of a pose matrix."""
    out = np.eye(4)
    out[:3, :3] = T[:3, :3].T
    out[:3, 3] = -T[:3, :3].T @ T[:3, 3]
    return out


def adjoint(T: Array) -> Array:
    """The 6x6 adjoint of a pose [SG eq. 2]."""
    R, (x, y, z) = T[:3, :3], T[:3, 3]
    X = np.zeros((6, 6))
    X[:3, :3] = X[3:, 3:] = R
    X[3:, :3] = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]]) @ R
    return X


def constant_pose(link: Link) -> Array:
    """The pose from the parent's frame at coordinate 0 of a hinge or slider."""
    T = homogeneous(rotation_z(link.gamma) @ rotation_x(link.sin_alpha, link.cos_alpha), (0.0, 0.0, 0.0))
    return T @ homogeneous(np.eye(3), link.p) @ screw_z(link.theta, 0.0)


def regroup_inertia(links: list[Link]) -> list[Link]:
    """Move the inertia that a joint does not feel to the parent, exactly (base parameters).

    A hinge about z does not feel a thin rod along z: mass, m*c_z and I_yy go to the parent, seven numbers stay.
    A slider does not feel rotational inertia at all.
    """
    inertia = [link.inertia.copy() for link in links]
    for i in range(len(links) - 1, -1, -1):
        link = links[i]
        if link.kind == GENERAL:
            continue
        unfelt = _rod(inertia[i]) if link.kind == HINGE else _couple(inertia[i])
        inertia[i] = inertia[i] - unfelt
        if link.parent >= 0:
            inertia[link.parent] = inertia[link.parent] + moved(unfelt, constant_pose(link))
    return [replace(link, inertia=J) for link, J in zip(links, inertia, strict=True)]


def _rod(J: Array) -> Array:
    """A thin rod along z with the body's mass, first moment and I_yy."""
    rod = np.zeros((6, 6))
    rod[0, 0] = rod[1, 1] = J[1, 1]
    rod[3, 3] = rod[4, 4] = rod[5, 5] = J[3, 3]
    hz = J[1, 3]  # J[:3, 3:] = [h]
    rod[0, 4] = rod[4, 0] = -hz
    rod[1, 3] = rod[3, 1] = hz
    return rod


def _couple(J: Array) -> Array:
    """The rotational block alone."""
    couple = np.zeros((6, 6))
    couple[:3, :3] = J[:3, :3]
    return couple
