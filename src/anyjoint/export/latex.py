"""A mechanism's equations as a LaTeX document: every joint, and the equations of motion where they are few."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from anyjoint.dynamics.newton_euler import NEWTON_EULER
from anyjoint.joints import Joint
from anyjoint.quantity.lagrangian import equations_of_motion
from anyjoint.symbolic import Graph, Node
from anyjoint.symbolic.printing import latex_parts
from anyjoint.symbolic.rewrite import import_into
from anyjoint.symbolic.simplify import merge_identities
from anyjoint.trace.numbers import numbers_of
from anyjoint.trace.straight import trace_tree
from anyjoint.trace.workshop import Workshop
from anyjoint.tree.plan import make_plan

FEW = 4  # coordinates up to which M and h are readable
HEAD = r"""\documentclass{article}
\usepackage[margin=2cm]{geometry}
\usepackage{amsmath}
\allowdisplaybreaks
\setcounter{MaxMatrixCols}{40}
\begin{document}
"""


def document(workshop: Workshop) -> str:
    """The whole document; names of bodies and joints given by the user do not appear in it."""
    mechanism = workshop.mechanism
    kinds: dict[int, tuple[Joint, list[int]]] = {}
    for body in mechanism.bodies:
        kinds.setdefault(id(body.joint), (body.joint, []))[1].append(body.index)
    parts = [_joint_section(joint, bodies) for joint, bodies in kinds.values() if joint.nv]
    readable = 0 < mechanism.nv <= FEW and not workshop.expansion
    parts.append(_motion_section(workshop) if readable else MANY)
    return HEAD + "\n".join(parts) + "\\end{document}\n"


MANY = r"""\section*{Equations of motion}
The mass matrix of this mechanism would fill pages; linear-time recursions over the joints above take its place.
"""


def _joint_section(joint: Joint, bodies: list[int]) -> str:
    """G, S and c = Sdot qdot of one joint in its coordinates."""
    graph = Graph()
    q = [graph.variable(f"q[{k + 1}]", c.domain) for k, c in enumerate(joint.coordinates)]
    v = [graph.variable(f"v[{k + 1}]") for k in range(joint.nv)]
    piece = joint.motion(q, v).piece(v)
    matrices = {"G": np.asarray(piece.pose.matrix)[:3], "S": piece.S, "c": np.reshape(piece.c, (6, 1))}
    used = ", ".join(str(k + 1) for k in bodies)
    return f"\\section*{{{type(joint).__name__} joint of body {used}}}\n" + _display(matrices)


def _motion_section(workshop: Workshop) -> str:
    """M(q) vdot + h(q, v) = tau with all numbers filled in."""
    # In the user's own frames: canonical ones save operations but shift the angles.
    plan = make_plan(workshop.mechanism, canonical=False)
    numbers = numbers_of(plan, workshop.mechanism.gravity)
    tree = trace_tree(plan, numbers, workshop.joints, workshop.sizes(NEWTON_EULER.inputs, "links"))
    tree.run(NEWTON_EULER)
    trace, named, values = tree.variables, Graph(), numbers.flat()
    replace: dict[Node, Any] = {Node(trace.graph, i): float(values[k]) for i, k in trace.raw.items()}
    replace |= {x: named.variable(f"{name}[{k + 1}]") for (name, k), x in trace.rows.items()}
    outputs = import_into(named, tree.values("generalized"), replace)
    M, h = equations_of_motion(outputs, [replace[x] for x in tree.rows["qdd"]])
    shown = _display({"M": M, "h": np.reshape(h, (-1, 1))})
    return "\\section*{Equations of motion, $M(q)\\,\\dot v + h(q, v) = \\tau$}\n" + shown


def _display(matrices: dict[str, Any]) -> str:
    """Shared subexpressions as definitions, one display each so that pages can break, then the matrices."""
    flat = merge_identities([x for matrix in matrices.values() for x in np.ravel(matrix)])
    definitions, pieces = latex_parts(flat)
    lines = [f"\\[ {name} = {text} \\]" for name, text in definitions]
    for name, matrix in matrices.items():
        size, columns = int(np.size(matrix)), int(np.shape(matrix)[1])
        lines.append(f"\\[ {name} = {_matrix(pieces[:size], columns)} \\]")
        pieces = pieces[size:]
    return "\n".join(lines) + "\n"


def _matrix(entries: Sequence[str], columns: int) -> str:
    rows = [" & ".join(entries[i : i + columns]) for i in range(0, len(entries), columns)]
    return "\\begin{bmatrix} " + " \\\\ ".join(rows) + " \\end{bmatrix}"
