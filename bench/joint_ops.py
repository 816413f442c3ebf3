"""Operations of every joint kind for pose, Jacobian and bias together: `python -m bench.joint_ops [NAME ...]`.

Counted after differentiation by D* and merging of identities, with the joint's numbers as run-time parameters, and in
the joint's working frame (both legs of a surface joint, not their product), as the dynamics use them.
"""

from __future__ import annotations

import sys

from anyjoint.codegen.opcount import OpCount, count_operations
from anyjoint.joints import Joint
from anyjoint.joints.parameters import bind, parameters
from anyjoint.symbolic import Graph, Node
from anyjoint.symbolic.simplify import merge_identities
from tests.joints.zoo import KINDS


def expressions(joint: Joint) -> list[Node]:
    """G, S and c = Sdot*qdot of a joint as they are traced, in a graph of their own."""
    g = Graph()
    q = [g.variable(f"q{k}", domain=c.domain) for k, c in enumerate(joint.coordinates)]
    v = [g.variable(f"v{k}") for k in range(joint.nv)]
    numbers = [g.variable(f"p{k}", domain=p.domain, bounds=p.bounds) for k, p in enumerate(parameters(joint))]
    motion = bind(joint, numbers).motion(q, v)
    legs = [x for leg in (motion.A, motion.B) for x in (*leg.R.ravel(), *leg.p)]
    return [x for x in (*legs, *motion.S.ravel(), *motion.c) if isinstance(x, Node)]


def operations(joint: Joint) -> OpCount:
    """What G, S and c of a joint cost together, merged."""
    outputs = expressions(joint)
    return count_operations(outputs[0].graph, [x.id for x in merge_identities(outputs)]) if outputs else OpCount()


def main(names: list[str]) -> None:
    """Print one line per joint kind."""
    columns = OpCount().keys()
    print(f"{'joint':26s} {'dof':>3s} " + " ".join(f"{name:>5s}" for name in columns))
    for name in names or list(KINDS):
        count = dict(operations(KINDS[name]))
        print(f"{name:26s} {KINDS[name].nv:3d} " + " ".join(f"{count[key]:5d}" for key in columns))


if __name__ == "__main__":
    main(sys.argv[1:])
