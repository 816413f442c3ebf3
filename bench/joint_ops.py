"""Operations of every joint kind for pose, Jacobian and bias together: `python -m bench.joint_ops [NAME ...]`.

Counted after differentiation by D* and merging of identities, with the joint's numbers as run-time parameters, and in
the joint's working frame (both legs of a surface joint, not their product), as the dynamics use them. The last columns
are forward dynamics of one body on that joint, and dq/dt where that is not simply v.
"""

from __future__ import annotations

import sys

from anyjoint.codegen.opcount import OpCount, count_operations
from anyjoint.joints import Joint
from anyjoint.joints.parameters import bind, parameters
from anyjoint.mechanism import Inertia, Mechanism
from anyjoint.symbolic import Graph, Node
from anyjoint.symbolic.simplify import merge_identities
from tests.joints.zoo import KINDS


def expressions(joint: Joint) -> list[Node]:
    """G, S (of both legs) and c = Sdot*qdot of a joint as they are traced, in a graph of their own."""
    g = Graph()
    q = [g.variable(f"q{k}", domain=c.domain) for k, c in enumerate(joint.coordinates)]
    v = [g.variable(f"v{k}") for k in range(joint.nv)]
    numbers = [g.variable(f"p{k}", domain=p.domain, bounds=p.bounds) for k, p in enumerate(parameters(joint))]
    motion = bind(joint, numbers).motion(q, v)
    legs = [x for leg in (motion.A, motion.B) for x in (*leg.R.ravel(), *leg.p)]
    twists = [*motion.S_A.ravel(), *motion.S.ravel(), *motion.c]
    return [x for x in (*legs, *twists) if isinstance(x, Node)]


def operations(joint: Joint) -> OpCount:
    """What G, S and c of a joint cost together, merged."""
    outputs = expressions(joint)
    return count_operations(outputs[0].graph, [x.id for x in merge_identities(outputs)]) if outputs else OpCount()


def dynamics(joint: Joint) -> tuple[int, int]:
    """Operations of forward dynamics of one solid body on a joint, and of dq/dt."""
    mech = Mechanism("one body")
    solid = Inertia(1.0, (0.1, 0.2, 0.3), [[3, 0.1, 0.2], [0.1, 4, 0.3], [0.2, 0.3, 5]])
    mech.add_body("body", joint=joint, inertia=solid)
    model = mech.compile()
    return model.op_count("forward_dynamics").total, model.op_count("coordinate_rates").total


def main(names: list[str]) -> None:
    """Print one line per joint kind."""
    columns = OpCount().keys()
    print(f"{'joint':26s} {'dof':>3s} " + " ".join(f"{name:>5s}" for name in (*columns, "accel", "rates")))
    for name in names or list(KINDS):
        joint = KINDS[name]
        count = dict(operations(joint))
        numbers = [*(count[key] for key in columns), *(dynamics(joint) if joint.nv else (0, 0))]
        print(f"{name:26s} {joint.nv:3d} " + " ".join(f"{n:5d}" for n in numbers))


if __name__ == "__main__":
    main(sys.argv[1:])
