"""All that traced programs depend on, as text that is equal in every process where they are."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Sequence

import numpy as np

from anyjoint.constraints import Constraint
from anyjoint.scalar.array import Floats
from anyjoint.tree.closures import ClosedPlan
from anyjoint.tree.plan import Plan

from .constraint_program import ConstraintPrograms
from .joints_cache import JointCache
from .numbers import Numbers


def still_built_in(fixed: Floats, numbers: Numbers) -> bool:
    """Whether numbers that code has built in, are what they were."""
    flat = numbers.flat()
    return len(flat) == len(fixed) and not np.any(~np.isnan(fixed) & (fixed != flat))


def structure(plan: Plan, numbers: Numbers, joints: JointCache) -> Hashable:
    """Everything but the values of parameters that a traced program depends on."""
    kinds: dict[Hashable, int] = {}
    keys = [kinds.setdefault((joints.key(link), link.spring is not None), len(kinds)) for link in plan.links]
    tree = [
        (x.parent, x.prescribed, x.elders, x.q.start, x.q.stop, x.v.start, x.v.stop, len(x.tail)) for x in plan.links
    ]
    return (tuple(kinds), digest(np.array(keys)), digest(np.array(tree, dtype=int)), digest(numbers.built_in))


def closed_structure(
    closed: ClosedPlan, constraints: Sequence[Constraint], relative: Sequence[bool], programs: ConstraintPrograms
) -> Hashable:
    """What is closed where, and which rows are asked; but for the values of frames and what `structure` knows."""
    carried = [link.columns for link in closed.plan.links]
    numbers = {columns: k for k, columns in enumerate(dict.fromkeys(carried))}
    fronts = list(numbers), [numbers[columns] for columns in carried]
    shape = fronts, closed.where, closed.hubs, closed.starts, closed.joints
    touched = [(c.bodies, c.coordinates, c.alike) for c in constraints], [ride.link for ride in closed.plan.placed]
    kinds = tuple(dict.fromkeys(programs.identity(constraint) for constraint in constraints))
    which = [kinds.index(programs.identity(constraint)) for constraint in constraints]
    return kinds, hashlib.sha256(repr((shape, touched, which, list(relative))).encode()).hexdigest()


def digest(array: Floats) -> str:
    """A short text for the contents of an array."""
    return hashlib.sha256(array.tobytes()).hexdigest()
