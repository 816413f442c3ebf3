"""Whether a constraint is about the relative position of bodies only, proved and not sampled.

Such rows do not change when all bodies move together. Then only the joints between the bodies and their closest common
ancestor can satisfy them, and their multipliers may end there; otherwise they have to be carried to the ground.
"""

from __future__ import annotations

from anyjoint.constraints import Constraint, FunctionConstraint
from anyjoint.errors import AnyjointError
from anyjoint.scalar import known
from anyjoint.spatial import Pose
from anyjoint.symbolic import Graph, Node
from anyjoint.symbolic.simplify import merge_identities


def is_relative(constraint: Constraint) -> bool:
    """Whether a motion of everything together changes nothing, as functions of all poses."""
    if constraint.relative is not None:
        return constraint.relative
    if not isinstance(constraint, FunctionConstraint) or not constraint.holonomic:
        return False
    if not constraint.bodies:
        return True  # coordinates alone
    if -1 in constraint.bodies:
        return False
    g = Graph()
    poses, common = [_pose(g) for _ in constraint.bodies], _pose(g)
    q, t = [g.variable("q") for _ in constraint.coordinates], g.variable("t")
    try:
        before = constraint.function.entries(constraint.arguments(poses, [], q, [], t))
        after = constraint.function.entries(constraint.arguments([common @ pose for pose in poses], [], q, [], t))
    except AnyjointError:  # what is wrong with the function is told elsewhere
        return False
    change = [x - y for x, y in zip(after, before, strict=True)]
    return all(known(x) == 0 for x in merge_identities(change))


def _pose(g: Graph) -> Pose:
    """Any pose."""
    x: list[Node] = [g.variable("x") for _ in range(6)]
    return Pose.translation(*x[:3]) @ Pose.rotation_z(x[3]) @ Pose.rotation_y(x[4]) @ Pose.rotation_x(x[5])
