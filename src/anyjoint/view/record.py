"""From a mechanism and its trajectory to a scene."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from anyjoint.errors import InputError
from anyjoint.joints import Coupled
from anyjoint.scalar import is_number
from anyjoint.scalar.array import ArrayLike, Floats
from anyjoint.stepper import resists
from anyjoint.view.contact import contact_marks
from anyjoint.view.drawing import Drawing, capsule_between, curve_drawing, drawings, surface_drawing, typical_length
from anyjoint.view.options import viewer_options
from anyjoint.view.page import write_page
from anyjoint.view.palette import body_colors
from anyjoint.view.scene import BodyDrawing, Motion, Scene
from anyjoint.view.strands import trajectory_strands

if TYPE_CHECKING:
    from anyjoint.mechanism import Body, Mechanism
    from anyjoint.model import Model
    from anyjoint.simulate import Trajectory

FRAME_RATE = 60.0
MOST_CHANGES = 8  # of contacts that a page lists
MOST_NUMBERS = 6_000_000  # 24 MB of poses in memory: a page of a long chain must still open on a phone


def trajectory_page(traj: Trajectory, path: str | Path, **options: Any) -> Path:
    """Write the page of a trajectory: needs traj.t, traj.q, traj.model and, for the plot, traj.energy()."""
    return write_page(trajectory_scene(traj, **options), path)


def trajectory_scene(
    traj: Trajectory, title: str | None = None, description: str = "", frame_rate: float = FRAME_RATE, **viewer: Any
) -> Scene:
    """The scene of a trajectory, thinned to a frame rate that a screen can show; `viewer` as in `viewer_options`."""
    mechanism, motion = model_of(traj).mechanism, trajectory_motion(traj, frame_rate)
    return Scene(
        title=title or readable(mechanism.name),
        subtitle=count_text(len(mechanism.bodies), int(mechanism.nv), len(mechanism.constraints)),
        description=description or mechanism.description,
        bodies=body_drawings(mechanism),
        fixed=ground_drawings(mechanism),
        strands=() if motion.strands is None else trajectory_strands(traj, mechanism).data(motion.strands[0]),
        motion=motion,
        up=up_direction(mechanism.gravity),
        info=_facts(traj, motion.kinetic, motion.potential),
        options=viewer_options(**viewer),
    )


def trajectory_motion(traj: Trajectory, frame_rate: float = FRAME_RATE, share: float = 1.0) -> Motion:
    """The motion of a trajectory, thinned to a frame rate and to a share of what a page may hold."""
    if not (is_number(frame_rate) and 0 < frame_rate < np.inf):
        raise InputError(f"frame_rate={frame_rate!r}: expected frames per second, a positive number such as 60")
    model = model_of(traj)
    mechanism = model.mechanism
    t, q = np.asarray(traj.t, dtype=float), np.asarray(traj.q, dtype=float)
    if t.ndim != 1 or q.ndim != 2 or len(t) != len(q) or not len(t):
        raise InputError(
            "a page shows one trajectory, t of shape (n,) and q of shape (n, nq) with n > 0; "
            f"got {t.shape} and {q.shape}. Of a batch, choose one run"
        )
    finite = np.isfinite(q).all(axis=1)
    if not finite.any():
        raise InputError("the trajectory holds no finite state, so there is nothing to draw; see its status")
    usable = len(t) if finite.all() else int(np.argmin(finite))  # a run that blew up is shown up to there
    strands = trajectory_strands(traj, mechanism)
    kept = frame_indices(t[:usable], len(mechanism.bodies) + strands.count // 2, frame_rate, share)
    poses: Floats = np.asarray(model.body_poses(q[kept]), dtype=float)
    kinetic, potential = _energies(traj, kept)
    pulling = (strands.points(q[kept], poses), strands.levels(t[kept])) if strands else ()
    return Motion(t[kept], poses, kinetic, potential, *contact_marks(traj, mechanism, kept, poses), *pulling)


def frame_indices(t: Floats, bodies: int, frame_rate: float, share: float = 1.0) -> Floats:
    """Indices of the samples that are kept: about frame_rate per second, within a share of the size budget."""
    span = float(t[-1] - t[0])
    budget = max(2, int(share * MOST_NUMBERS) // (7 * max(1, bodies)))
    count = int(min(len(t), budget, max(2.0, np.ceil(span * frame_rate) + 1)))
    wanted = np.linspace(t[0], t[-1], count)
    nearest = np.searchsorted(t, wanted - 1e-9 * max(span, 1.0)).clip(0, len(t) - 1)
    return np.unique(np.concatenate([nearest, [len(t) - 1]]))


def _energies(traj: Trajectory, kept: Floats) -> tuple[Floats | None, Floats | None]:
    if not hasattr(traj, "energy"):
        return None, None
    kinetic, potential = (np.asarray(e, dtype=float)[kept] for e in traj.energy())
    good = bool(np.isfinite(kinetic).all() and np.isfinite(potential).all())
    return (kinetic, potential) if good else (None, None)


def body_drawings(mechanism: Mechanism) -> tuple[BodyDrawing, ...]:
    """Every body with its shapes; one without shapes is drawn as a ball and rods to its children.

    Beside bodies that have shapes, one without mass is only a step between them, and is not drawn.
    """
    bodies = list(mechanism.bodies)
    colors = body_colors(len(bodies))
    size = typical_length(bodies)
    children: list[list[Body]] = [[] for _ in bodies]
    for body in bodies:
        if body.parent >= 0:
            children[body.parent].append(body)
    made, shown = [], any(body.shapes for body in bodies)
    for i, body in enumerate(bodies):
        shapes = drawings(body.shapes, f"body {body.name!r}")
        if not shapes and not (shown and body.inertia.mass == 0):
            shapes = _stick(body, children[i], size) + [d for child in children[i] for d in joint_drawings(child, size)]
        color = shapes[0].get("color", colors[i]) if shapes else colors[i]
        # A shape without a colour of its own has that of its body.
        plain = tuple({k: v for k, v in s.items() if (k, v) != ("color", color)} for s in shapes)
        made.append(BodyDrawing(body.name, body.parent, color, plain, float(body.inertia.mass)))
    return tuple(made)


def ground_drawings(mechanism: Mechanism) -> tuple[Drawing, ...]:
    """What stands still: the ground's own shapes, else the wires and surfaces that bodies ride on."""
    size = typical_length(mechanism.bodies)
    shapes = drawings(mechanism.ground.shapes, "ground")
    riders = [] if shapes else [body for body in mechanism.bodies if body.parent < 0]
    return tuple(shapes + [d for body in riders for d in joint_drawings(body, size)])


def joint_drawings(body: Body, size: float) -> list[Drawing]:
    """The curve or surface that the body's joint rides on, in the parent's frame."""
    placement = np.asarray(body.placement.matrix, dtype=float)
    out: list[Drawing] = []
    curve: Any = getattr(body.joint, "curve", None)
    surface: Any = getattr(body.joint, "surface", None)
    if getattr(body.joint, "slide", False):
        return out  # there the surface is the body's own
    if hasattr(curve, "polyline") and np.all(np.isfinite(curve.domain)):
        points = _placed(placement, curve.polyline(400))
        length = float(np.linalg.norm(np.ptp(points, axis=0)))  # a long one is seen from afar
        out.append(curve_drawing(points, max(0.012 * size, 0.0015 * length)))
    if hasattr(surface, "mesh") and np.all(np.isfinite(np.asarray(surface.domain))):
        vertices, faces = surface.mesh(64, 48)
        out.append(surface_drawing(_placed(placement, vertices), faces))
    return out


def _placed(placement: Floats, points: ArrayLike) -> Floats:
    xyz = np.asarray(points, dtype=float).reshape(-1, 3)
    return np.asarray(xyz @ placement[:3, :3].T + placement[:3, 3])


def _stick(body: Body, children: Sequence[Body], size: float) -> list[Drawing]:
    """A ball at the centre of mass, and rods from the joint to it and to the children's joints."""
    com = np.asarray(body.inertia.com, dtype=float)
    ends = [com] + [_joint_place(child) for child in children]
    rods = [capsule_between((0, 0, 0), end, 0.03 * size) for end in ends]
    ball: Drawing = {"type": "sphere", "radius": 0.09 * size}
    ball["pose"] = [1.0, 0.0, 0.0, float(com[0]), 0.0, 1.0, 0.0, float(com[1]), 0.0, 0.0, 1.0, float(com[2])]
    return [ball] + [rod for rod in rods if rod is not None]


def _joint_place(child: Body) -> Floats:
    """Where a child is at neutral coordinates, which functions may shift; of a follower, where its joint is."""
    placed = child.placement
    if not isinstance(child.joint, Coupled):
        placed = placed @ child.joint.pose([c.neutral for c in child.joint.coordinates])
    return np.asarray(placed.matrix, dtype=float)[:3, 3]


def up_direction(gravity: ArrayLike) -> tuple[float, float, float]:
    """Against gravity; z when there is none."""
    g = np.asarray(gravity, dtype=float)
    size = float(np.linalg.norm(g))
    if size == 0:
        return (0.0, 0.0, 1.0)
    up = -g / size
    return float(up[0]), float(up[1]), float(up[2])


def readable(name: str) -> str:
    """A name as a title: torus-chain becomes Torus chain."""
    words = name.replace("_", " ").replace("-", " ").strip() or "Mechanism"
    return words[0].upper() + words[1:]


def model_of(traj: Trajectory) -> Model:
    """What moves, which `Trajectory.to_html` has asked for."""
    assert traj.model is not None
    return traj.model


def count_text(nb: int, nv: int, constraints: int = 0) -> str:
    """How many bodies and freedoms, as a phrase; with constraints, what they hold together."""
    bodies = f"{nb} {'body' if nb == 1 else 'bodies'}"
    if constraints:
        return f"{bodies}, {nv} velocities, {constraints} constraint{'' if constraints == 1 else 's'}"
    return f"{bodies}, {nv} degree{'' if nv == 1 else 's'} of freedom"


def _facts(traj: Trajectory, kinetic: Floats | None, potential: Floats | None) -> dict[str, str]:
    mechanism = model_of(traj).mechanism
    facts = {
        "Bodies": str(len(mechanism.bodies)),
        "Coordinates": str(int(mechanism.nq)),
        "Duration": f"{float(traj.t[-1] - traj.t[0]):.4g} s",
        "Samples": str(len(traj.t)),
    }
    changes = [f"{time:.3g} s {body}: {change}" for time, body, change, _ in getattr(traj, "modes", [])]
    if changes:
        more = f" and {len(changes) - MOST_CHANGES} more" if len(changes) > MOST_CHANGES else ""
        facts["Contacts"] = "; ".join(changes[:MOST_CHANGES]) + more
    method = getattr(traj, "method", None)
    if method:
        facts["Stepper"] = str(method)
    if kinetic is not None and potential is not None:
        lost = resists(str(method))  # contacts, stops and dry friction take energy that nobody counts
        share = f"{traj.balance_error():.1e} of the energy exchanged"
        facts["Energy balance"] = f"{share} went to contacts, friction and steps" if lost else f"off by {share}"
    return facts
