"""Forward dynamics of Guenter & Lee: M and c taken out of the symbolic inverse dynamics, then solved [GL eq. 14]."""

from __future__ import annotations

from collections.abc import Sequence

from anyjoint.dynamics.lagrangian import LAGRANGIAN_INVERSE
from anyjoint.dynamics.mass_matrix import solve_from_leaves
from anyjoint.scalar import Scalar
from anyjoint.spatial import Matrix, Vector, vector, zeros
from anyjoint.symbolic import Node
from anyjoint.symbolic.rewrite import coefficients, substitute
from anyjoint.trace.straight import Straight


def equations_of_motion(outputs: Sequence[Scalar], qdd: Sequence[Node]) -> tuple[Matrix, Vector]:
    """M and c of outputs = M qdd + c, which are linear in the nodes qdd; M is taken from its lower triangle."""
    n = len(qdd)
    M = zeros(n, n)
    for j in range(n):
        rows = [i for i in range(j, n) if isinstance(outputs[i], Node)]
        for i, found in zip(rows, coefficients([outputs[i] for i in rows], qdd[j]), strict=True):
            M[i, j] = M[j, i] = found  # [GL section 4]
    c = vector(*substitute(list(outputs), dict.fromkeys(qdd, 0.0)))
    return M, c


def lagrangian(tree: Straight) -> list[Scalar]:
    """M qdd = Q - c by LDL^T, Cholesky without square roots."""
    own = [tree.variables.graph.variable("qdd") for _ in tree.rows["v"]]
    qdd = vector(*own)
    if tree.expanded:  # joints that follow others
        qdd = tree.expanded.Phi @ qdd + tree.expanded.second
    for link, record in zip(tree.plan.links, tree.records, strict=True):
        record.qdd = qdd[link.v]
    tree.run(LAGRANGIAN_INVERSE)
    M, c = equations_of_motion(tree.project(tree.values("generalized")), own)
    return list(solve_from_leaves(M, vector(*tree.rows["tau"]) - c))
