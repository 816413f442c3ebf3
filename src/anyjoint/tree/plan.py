"""The plan of a mechanism: which links move, in which inner frames, with which numbers.

Inner frames are ours to choose, because accelerations and generalized forces never show them. Bodies welded together
become one link. A hinge or slider gets z as its axis, and each link's frame is turned and shifted about that axis
so that the constant pose to one child is Rot_x(alpha) Trans(p) with p in a plane (see denavit.py).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from anyjoint.errors import ModelError
from anyjoint.frozen import frozen
from anyjoint.joints import Joint
from anyjoint.joints.spring import Spring
from anyjoint.mechanism.inertia import spatial_inertias

from .columns import NONE, UNFED, Columns, Feed
from .denavit import Normal, common_normal, principal, screw_z, snap, unshifted
from .moving_part import FIXED, GENERAL, HINGE, SLIDER, Core, Part, moving_parts
from .regroup import regroup_inertia
from .rigid import Array, inverse, matrices, moved

if TYPE_CHECKING:
    from anyjoint.mechanism import Body

__all__ = [
    "FIXED", "GENERAL", "HINGE", "NUDGE", "SLIDER", "Frames", "Link", "Plan", "body_plan", "make_frames", "make_plan",
]  # fmt: skip

NUDGE = 6  # numbers of a small motion: three angles, three lengths


class Bodies(Protocol):
    """What plans are made of: a mechanism, or one in which joints that follow others have coordinates of their own."""

    @property
    def bodies(self) -> Sequence[Body]: ...


class Link(NamedTuple):
    """One moving link: all bodies welded to the body `body`, in the inner frame that follows the joint.

    The pose from the parent link's frame is Rot_z(gamma) Rot_x(alpha) Trans(p) [Rot_z(theta)] V(q), with V the joint's
    moving part; for a hinge and a slider theta and p_z are joined with the coordinate.
    """

    body: int
    parent: int
    kind: str
    joint: Joint
    core: Core
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
    elders: int = 0  # how many siblings come before it
    spring: Spring | None = None  # the joint's own
    columns: Columns = NONE  # unknowns of others that pass it
    feed: Feed = UNFED
    tail: tuple[float, ...] = ()  # the link's frame after the moving part, if not there: rotation by rows, origin
    nudged: bool = False  # whether a small motion of the parent's frame comes first; its six numbers end the tail
    still: bool = False  # whether it is the ground, by welds: it has no part in sums over what moves


class Ride(NamedTuple):
    """Where a body rides: on a link, -1 for the ground, and its frame in that one's."""

    link: int
    frame: Array


@frozen
class Plan:
    """Links, parents first, and where each body of the mechanism rides."""

    links: tuple[Link, ...]
    placed: tuple[Ride, ...] = field(repr=False)

    @property
    def parents(self) -> list[int]:
        return [link.parent for link in self.links]

    def link_of(self, body: int) -> int:
        """The link that a body rides on; -1 for the ground, itself or as a body (-1)."""
        return self.placed[body].link if body >= 0 else -1


@frozen
class _Draft:
    """A link before its frame is chosen."""

    body: Body
    parent: int
    kind: str
    core: Core


@frozen
class Frames:
    """What of a plan depends on joints and placements alone; inertias can be seen from there again and again."""

    drafts: list[_Draft] = field(repr=False)
    K: Array = field(repr=False)  # constant poses from the parents' natural frames to the joints' moving parts
    tails: Array = field(repr=False)  # the bodies' own frames in the natural frames after the moving parts
    carriers: list[int] = field(repr=False)  # per body the link that carries it, -1 for the ground
    poses: Array = field(repr=False)  # of bodies in the natural frames of their links
    back: Array = field(repr=False)  # from natural frames to inner ones; last the ground's, no turn
    pose: Normal | None = field(repr=False)  # constant poses between inner frames; None where nothing moves

    @property
    def parents(self) -> list[int]:
        return [draft.parent for draft in self.drafts]

    def inertias(self, own: Array, regroup: bool) -> Array:
        """The links' inertias (..., links, 6, 6), with all that is welded to them, from those of bodies."""
        with np.errstate(over="ignore", invalid="ignore"):
            seen, carriers = moved(own, self.poses), np.array(self.carriers)
            total = np.zeros((*own.shape[:-3], len(self.drafts), 6, 6))
            links: Any = (..., carriers[carriers >= 0], slice(None), slice(None))
            np.add.at(total, links, seen[..., carriers >= 0, :, :])
            inertia = moved(total, self.back[:-1])
            if regroup:
                between = self.back[self.parents] @ self.K @ inverse(self.back[:-1])
                inertia = regroup_inertia(inertia, [draft.kind for draft in self.drafts], self.parents, between)
        self._check_range(inertia)
        return inertia

    def _check_range(self, inertia: Array) -> None:
        """Refuse masses and lengths whose products no number can hold."""
        bad = ~np.isfinite(inertia).all(axis=(-2, -1))
        for i in np.flatnonzero(bad.reshape(-1, bad.shape[-1]).any(axis=0)):
            raise ModelError(
                f"body {self.drafts[i].body.name!r}: its inertia, with all that it carries, exceeds"
                f" {np.finfo(float).max:.3g}, the largest number; check masses and lengths, or use larger units"
            )


def make_frames(mechanism: Bodies, canonical: bool = True) -> Frames:
    """Choose links and their inner frames."""
    drafts, K, tails, placed = _weld(mechanism)
    carriers, poses = [ride.link for ride in placed], np.array([ride.frame for ride in placed]).reshape(-1, 4, 4)
    if not drafts:
        return Frames([], K, tails, carriers, poses, np.eye(4)[None], None)
    parents, kinds = [draft.parent for draft in drafts], [draft.kind for draft in drafts]
    turn, pose = _frames(parents, kinds, K, canonical)
    return Frames(drafts, K, tails, carriers, poses, inverse(turn), pose)


def make_plan(
    mechanism: Bodies, *, canonical: bool = True, regroup: bool = False, frames: Frames | None = None
) -> Plan:
    """Links in their frames; `regroup` also moves inertia that a joint does not feel to the parent link."""
    frames = frames or make_frames(mechanism, canonical)
    if frames.pose is None:
        return Plan((), tuple(map(Ride, frames.carriers, frames.poses)))
    drafts, back, pose = frames.drafts, frames.back, frames.pose
    inertia = frames.inertias(spatial_inertias([body.inertia for body in mechanism.bodies]), regroup)
    found = (pose.gamma, pose.sin_alpha, pose.cos_alpha, pose.p, pose.theta)
    numbers = zip(*(x.tolist() for x in found), strict=True)
    tails = back[:-1] @ frames.tails
    links = []
    elders = _elders(frames.parents)
    for i, ((gamma, s, c, at, theta), draft, before) in enumerate(zip(numbers, drafts, elders, strict=True)):
        body = mechanism.bodies[draft.body.index]
        made = (body.index, draft.parent, draft.kind, body.joint, draft.core, gamma, s, c, tuple(at), theta)
        links.append(Link(*made, inertia[i], tails[i], body.q, body.v, elders=before, spring=Spring.of(body)))
    turned = back[frames.carriers] @ frames.poses
    return Plan(tuple(links), tuple(map(Ride, frames.carriers, turned)))


def body_plan(mechanism: Bodies, nudged: Collection[int] | None = None) -> Plan:
    """Every body as a link in its own frame, welded ones too: for answers in terms of bodies.

    For derivatives by parameters, `nudged` are the bodies whose placements are among them; joints then stay whole,
    because constant poses around their moving parts may be made of their numbers.
    """
    bodies = mechanism.bodies
    if not bodies:
        return Plan((), ())
    parts = moving_parts(body.joint for body in bodies if body.joint.nv)
    found = [_whole(body.joint, parts.get(id(body.joint)), nudged is not None) for body in bodies]
    kinds, cores, leads, tails = zip(*found, strict=True)
    pose = unshifted(matrices([body.placement for body in bodies]) @ np.array(leads))
    angles = (pose.gamma, pose.sin_alpha, pose.cos_alpha, pose.p, pose.theta)
    numbers = zip(*(x.tolist() for x in angles), strict=True)
    inertia = spatial_inertias([body.inertia for body in bodies])
    elders = _elders([body.parent for body in bodies])
    links: list[Link] = []
    for i, (body, (gamma, s, c, at, theta)) in enumerate(zip(bodies, numbers, strict=True)):
        made = (body.index, body.parent, kinds[i], body.joint, cores[i], gamma, s, c, tuple(at), theta)
        tail = () if np.array_equal(tails[i], np.eye(4)) else (*snap(tails[i][:3, :3]).flat, *tails[i][:3, 3])
        moved = body.index in (nudged or ())
        where = (inertia[i], np.eye(4), body.q, body.v)
        extra = (*tail, *(0.0,) * NUDGE * moved)
        still = not body.joint.nv and (body.parent < 0 or links[body.parent].still)
        spring = Spring.of(body)
        links.append(Link(*made, *where, elders=elders[i], spring=spring, tail=extra, nudged=moved, still=still))
    return Plan(tuple(links), tuple(Ride(i, np.eye(4)) for i in range(len(bodies))))


def _whole(joint: Joint, part: Part | None, whole: bool) -> Part:
    """The moving part of a joint or all of it; a joint without coordinates is one constant pose."""
    if part is None:
        return FIXED, (0, 0, 0), np.asarray(joint.pose([]).matrix, dtype=float), np.eye(4)
    return (GENERAL, (0, 0, 0), np.eye(4), np.eye(4)) if whole and part[0] == GENERAL else part


def _weld(mechanism: Bodies) -> tuple[list[_Draft], Array, Array, list[Ride]]:
    """One draft per moving body, the poses K before and the tails behind their moving parts, and who carries a body.

    Bodies without coordinates are welded into the link that carries them.
    """
    bodies = mechanism.bodies
    placements = matrices([body.placement for body in bodies])
    drafts: list[_Draft] = []
    placed: list[Ride] = []
    carrying: list[Array] = []
    ground = Ride(-1, np.eye(4))
    parts = moving_parts(body.joint for body in bodies if body.joint.nv)
    for body, placement in zip(bodies, placements, strict=True):
        carrier, carried = placed[body.parent] if body.parent >= 0 else ground
        part = parts.get(id(body.joint))
        if part is None:
            placed.append(Ride(carrier, carried @ placement @ np.asarray(body.joint.pose([]).matrix, dtype=float)))
            continue
        placed.append(Ride(len(drafts), part[-1]))
        drafts.append(_Draft(body, carrier, *part[:2]))
        carrying.append(carried)
    around = [parts[id(draft.body.joint)] for draft in drafts]
    leads, tails = (np.array([part[k] for part in around]).reshape(-1, 4, 4) for k in (2, 3))
    K = np.array(carrying).reshape(-1, 4, 4) @ placements[[draft.body.index for draft in drafts]] @ leads
    return drafts, K, tails, placed


def _frames(parents: list[int], kinds: list[str], K: Array, canonical: bool) -> tuple[Array, Normal]:
    """Turns of the links' frames about their axes, and the constant poses to the turned frames from the parents'.

    A hinge's or slider's frame is turned and shifted to what its first child wants. The last turn is the ground's,
    which stays: parents of -1 find it there.
    """
    followed = np.zeros(len(parents), dtype=bool)
    followed[_first_children(parents, kinds) if canonical else []] = True
    leaders = np.array(parents)[followed]
    wanted = common_normal(K)
    angle, shift = np.zeros((2, len(parents) + 1))
    angle[leaders], shift[leaders] = wanted.gamma[followed], wanted.delta[followed]
    turn = screw_z(angle, shift)
    # A turn about z commutes with a motion about z, so it may stand before the coordinate.
    given = unshifted(inverse(turn)[parents] @ K @ turn[:-1])
    p, theta = wanted.p + shift[:-1, None] * (0, 0, 1), principal(wanted.theta + angle[:-1])
    # A child that was followed stands exactly as it wanted: gamma and delta are gone, and no rounding noise is left.
    return turn, Normal(
        np.where(followed, 0.0, given.gamma),
        given.delta,
        np.where(followed, wanted.sin_alpha, given.sin_alpha),
        np.where(followed, wanted.cos_alpha, given.cos_alpha),
        np.where(followed[:, None], p, given.p),
        np.where(followed, theta, given.theta),
    )


def _first_children(parents: list[int], kinds: list[str]) -> list[int]:
    """The first child of each hinge and slider."""
    first: dict[int, int] = {}
    for i, parent in enumerate(parents):
        if parent >= 0 and kinds[parent] != GENERAL:
            first.setdefault(parent, i)
    return list(first.values())


def _elders(parents: list[int]) -> list[int]:
    """How many siblings come before each link."""
    seen: dict[int, int] = {}
    elders = []
    for parent in parents:
        elders.append(seen.get(parent, 0))
        seen[parent] = elders[-1] + 1
    return elders
