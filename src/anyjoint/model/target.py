"""Where frames should be, and what came of it: the question and the answer of inverse kinematics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from anyjoint.errors import InputError
from anyjoint.frozen import frozen
from anyjoint.mechanism.frame import Frame, find_frame
from anyjoint.scalar import reals
from anyjoint.scalar.array import ArrayLike, Floats
from anyjoint.spatial import Pose, rotation_problem

if TYPE_CHECKING:
    from anyjoint.mechanism import Mechanism

MEASURED = 1e-6  # targets come from cameras and in single precision: entries of R R^T may be that far off


@frozen(eq=False)
class Target:
    """Where a frame should be: a position, an orientation (a pose or rotation matrix), or both; also batches of them.

    Weights are those of squared errors in metres and radians, one number or one for each axis of the world: with
    `position_weight=(0, 0, 1)` only the height counts.
    """

    position: ArrayLike | None = None
    orientation: Pose | ArrayLike | None = None
    position_weight: ArrayLike = 1.0
    orientation_weight: ArrayLike = 1.0


@frozen(eq=False)
class Aim:
    """A target, checked: (batch, 3), (batch, 3, 3) or None, and roots of weights by axis."""

    label: str
    frame: Frame
    position: Floats | None
    orientation: Floats | None
    weights: tuple[Floats, Floats]


@frozen(eq=False)
class Reached:
    """What inverse kinematics has found: `if found:` says whether all targets are met, `print(found)` what is not.

    `errors` are distances (in metres) and angles (in radians) by frame, (2,) or (batch, 2), of the second target of
    one frame by "hand 2"; `limited` are coordinates that ended at a limit.
    """

    q: Floats
    reached: bool | Floats  # a truth value, or one for each state of a batch
    errors: Mapping[str, Floats]
    iterations: int
    limited: tuple[str, ...] = field(default=())
    tries: int = 1

    def __bool__(self) -> bool:
        return bool(np.all(self.reached))

    def __str__(self) -> str:
        met, count = np.atleast_1d(self.reached), np.size(self.reached)
        after = f"after {self.iterations} iterations"
        if met.all():
            return f"reached {after}" if count == 1 else f"all {count} reached {after}"
        worst = {name: np.atleast_2d(x)[~met].max(axis=0) for name, x in self.errors.items()}
        off = ", ".join(f"{name} is off by {x[0]:.3g} m and {x[1]:.3g} rad" for name, x in worst.items())
        head = "not reached" if count == 1 else f"{int((~met).sum())} of {count} not reached, at worst"
        held = f"; at their limits: {', '.join(self.limited)}" if self.limited else ""
        remedy = "; tries=20 begins at other coordinates, too" if self.tries == 1 else ""
        return f"{head} {after}: {off}{held}{remedy}"


def read_targets(mech: Mechanism, targets: object, where: str) -> list[Aim]:
    """All targets, checked; batches must agree."""
    pairs = list(targets.items()) if isinstance(targets, Mapping) else targets
    if not isinstance(pairs, (list, tuple)) or not pairs or not all(_is_pair(pair) for pair in pairs):
        raise InputError(f"{where}: targets={targets!r}; expected {{frame: position, pose or aj.Target}}")
    aims = [_aim(mech, frame, target, where) for frame, target in pairs]
    sizes = {len(x) for aim in aims for x in (aim.position, aim.orientation) if x is not None} - {1}
    if len(sizes) > 1:
        raise InputError(f"{where}: batches of {sorted(sizes)} targets were given together; they must be equal")
    return _told_apart(aims)


def _told_apart(aims: Sequence[Aim]) -> list[Aim]:
    """The same with a label each: several targets may be of one frame, or of points of one body."""
    made = dict[str, Aim]()
    for aim in aims:
        numbered = (f"{aim.label} {k}" for k in range(2, len(aims) + 2))
        label = aim.label if aim.label not in made else next(text for text in numbered if text not in made)
        made[label] = replace(aim, label=label)
    return list(made.values())


def _is_pair(given: object) -> bool:
    return isinstance(given, (list, tuple)) and len(given) == 2


def is_batch(targets: Any) -> bool:
    """Whether some target is a batch."""
    values = list(targets.values()) if isinstance(targets, Mapping) else [target for _, target in targets]
    return any(_is_batch(x) for x in values)


def _is_batch(target: Any) -> bool:
    if isinstance(target, Target):
        position, turn = target.position, target.orientation
        several = position is not None and np.ndim(position) == 2
        return several or (turn is not None and not isinstance(turn, Pose) and np.ndim(turn) == 3)
    return not isinstance(target, Pose) and (np.ndim(target) == 3 or _rows(np.shape(target)))


def _rows(shape: tuple[int, ...]) -> bool:
    return len(shape) == 2 and shape[1] == 3


def _aim(mech: Mechanism, frame: Any, target: Any, where: str) -> Aim:
    found = find_frame(mech, frame, where)
    what = f"{where}: target of {found.name!r}"
    if not isinstance(target, Target):
        target = _as_target(target, what)
    if target.position is None and target.orientation is None:
        raise InputError(f"{what} has neither a position nor an orientation")
    position = None if target.position is None else _numbers(target.position, 1, (3,), f"{what}: position")
    turn = target.orientation.R if isinstance(target.orientation, Pose) else target.orientation
    orientation = None if turn is None else _numbers(turn, 2, (3, 3), f"{what}: orientation")
    if orientation is not None:
        problem = rotation_problem(orientation, MEASURED)
        if problem:
            raise InputError(f"{what}: orientation is no rotation matrix ({problem}); give one, or a pose")
    weights = _weight(target.position_weight, what), _weight(target.orientation_weight, what)
    return Aim(found.name, found, position, orientation, weights)


def _as_target(given: Any, what: str) -> Target:
    """A pose, a matrix (4, 4) or a point, or a batch of them, as a target."""
    if isinstance(given, Pose):
        return Target(given.p, given)
    shape = np.shape(given)
    if shape[-2:] == (4, 4):
        T = _numbers(given, 2, (4, 4), what)
        return Target(T[:, :3, 3], T[:, :3, :3])
    if shape == (3,) or _rows(shape):
        return Target(given)
    raise InputError(f"{what} is {given!r}; expected a position, a pose, a matrix (4, 4) or an aj.Target")


def _numbers(given: ArrayLike, dimensions: int, shape: tuple[int, ...], what: str) -> Floats:
    try:
        made = reals(given)
    except (TypeError, ValueError):
        made = np.empty(0)
    made = made[None] if made.ndim == dimensions else made
    if made.shape[1:] != shape or not np.isfinite(made).all() or not len(made):
        raise InputError(f"{what}: {given!r}; expected finite numbers {shape}, or a batch of them")
    return np.asarray(made, dtype=float)


def _weight(given: ArrayLike, what: str) -> Floats:
    try:
        made = reals(given)
    except (TypeError, ValueError):
        made = np.empty(0)
    if made.shape not in ((), (3,)) or not np.isfinite(made).all() or (made < 0).any():
        raise InputError(f"{what}: weight {given!r}; expected one finite number that is not negative, or three")
    return np.asarray(np.sqrt(np.broadcast_to(made, (3,)).astype(float)))
