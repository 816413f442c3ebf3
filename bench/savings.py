"""What each saving of operations is worth: `python -m bench.savings [--write]`.

Counted is what one more body of a long chain costs: hinges with generic and with simple geometry, and tori. "Without"
is the same program with that one saving switched off, where the code has a switch, or replaced by the textbook formula;
all others stay on, so that the savings do not add up: they overlap. `--write` puts the table into docs/savings.md.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from anyjoint.codegen.opcount import count_operations
from anyjoint.dynamics import articulated_body
from anyjoint.dynamics.algorithm import Algorithm, algorithm, run_sweeps
from anyjoint.dynamics.articulated_body import ARTICULATED_BODY
from anyjoint.dynamics.newton_euler import NEWTON_EULER, collect
from anyjoint.dynamics.velocity import centripetal_acceleration, gyroscopic_couple, gyroscopic_wrench, move, spin
from anyjoint.geometry import surfaces
from anyjoint.joints import OnCurve, OnSurface, Spherical, SurfaceSurface
from anyjoint.mechanism import Inertia, Mechanism
from anyjoint.mechanism.gallery import revolute_chain, torus_chain
from anyjoint.scalar import cos, sin
from anyjoint.spatial import Matrix, Pose, Translation, Turn, zeros
from anyjoint.symbolic import Graph, Node
from anyjoint.trace import joint_program, joints_cache
from anyjoint.trace import numbers as trace_numbers
from anyjoint.trace.flatten import flatten
from anyjoint.trace.joints_cache import JointCache
from anyjoint.trace.numbers import numbers_of
from anyjoint.trace.setup import split_parameters
from anyjoint.trace.straight import Variables, trace_records
from anyjoint.tree.links import link_body
from anyjoint.tree.plan import make_plan

CHAINS: dict[str, Callable[[int], Any]] = {
    "generic hinge": revolute_chain,
    "simple hinge": lambda n: revolute_chain(n, "simple"),
    "torus": torus_chain,
}
LENGTHS = {"generic hinge": (6, 8), "simple hinge": (8, 12), "torus": (4, 5)}
PAGE = Path(__file__).parent.parent / "docs" / "savings.md"
BEGIN, END = "<!-- counts: made by bench/savings.py -->", "<!-- end of counts -->"


@dataclass(frozen=True)
class Count:
    """Operations of one more body, per state; and those of the set-up, per change of parameters."""

    state: float
    setup: float


class Unshared(dict[int, int]):
    """Keys of a graph that never finds an equal operation."""

    def get(self, key: int, default: Any = None) -> Any:
        return default

    def setdefault(self, key: int, default: Any = None) -> Any:
        self[key] = default
        return default


def count(mech: Any, method: Algorithm, *, shared: bool = True, **plan_options: bool) -> Count:
    """Operations of an algorithm on a mechanism, traced into one straight-line program."""
    plan = make_plan(mech, **({"canonical": True, "regroup": True} | plan_options))
    graph = Graph()
    if not shared:
        graph.keys = Unshared()
    numbers = numbers_of(plan, mech.gravity)
    variables = Variables(graph, numbers)
    sizes = {"q": mech.nq} | dict.fromkeys(method.inputs[1:], mech.nv)
    rows = {name: [variables.row(name, k) for k in range(n)] for name, n in sizes.items()}
    bodies, root = trace_records(variables, plan, numbers, JointCache(), **rows)
    run_sweeps(method, bodies, plan.parents, root)
    results = [x for body in bodies for name in method.results for x in flatten(getattr(body, name))[0]]
    ids = [x.id for x in results if isinstance(x, Node)]
    target, new, _, setup = split_parameters(graph, ids, variables.raw)
    once = count_operations(graph, setup.outputs).total
    if not shared:  # the target graph would share again
        return Count(count_operations(graph, ids).total - once, once)
    return Count(count_operations(target, new).total, once)


def per_body(chain: str, method: Algorithm, **options: bool) -> Count:
    """What one more body costs, far from the ends of the chain."""
    short, long = LENGTHS[chain]
    a, b = (count(CHAINS[chain](n), method, **options) for n in (short, long))
    return Count((b.state - a.state) / (long - short), (b.setup - a.setup) / (long - short))


# -- the same without ---------------------------------------------------------------------------------------


def dense_pose(*arguments: Any) -> Any:
    """A link whose pose is one dense rotation and one translation, as the equations are usually written."""
    body = link_body(*arguments)
    body.A, body.W = (Pose([Translation(tuple(P.p)), Turn(P.R)]) if P.factors else P for P in (body.A, body.W))
    return body


@dataclass(frozen=True)
class FullInertia:
    """A 6x6 inertia of which all 36 entries are computed."""

    M: Matrix

    A = property(lambda self: self.M[:3, :3])
    B = property(lambda self: self.M[:3, 3:])
    C = property(lambda self: self.M[3:, 3:])

    def __add__(self, other: FullInertia) -> FullInertia:
        return FullInertia(self.M + other.M)

    def __matmul__(self, v: Any) -> Any:
        return self.M @ v

    def minus_outer(self, U: Matrix, W: Matrix, vanishing: Any = ()) -> FullInertia:
        """J - U W^T."""
        M = self.M - U @ W.T
        for row in vanishing:
            M[row, :] = M[:, row] = 0
        return FullInertia(M)


def full_inertia(*arguments: Any) -> Any:
    """A link whose inertia is stored in full."""
    body = link_body(*arguments)
    body.J = FullInertia(body.J.matrix())
    return body


def pass_in_full(pose: Pose, J: FullInertia) -> FullInertia:
    """Ad^T J Ad, elementary factor by factor: all columns, then all rows."""
    M = J.M
    for factor in reversed(pose.factors):
        M = np.stack([factor.force(column) for column in M.T], axis=1)
        M = np.stack([factor.force(row) for row in M], axis=0)
    return FullInertia(M)


def twist_velocities(body: Any, parent: Any) -> None:
    """Outward with twists: linear velocities as well."""
    move(body, parent)
    body.b = gyroscopic_wrench(body)


def twist_inertias(body: Any, parent: Any) -> None:
    """Inward, where nothing but the joint separates working frame and body."""
    body.g = zeros(3)
    articulated_body.inertias(body, parent)


def twist_accelerate(body: Any, parent: Any) -> None:
    """Newton-Euler as the papers write it: derivatives of twists, f = J a - ad*_v J v [SG eq. 11]."""
    move(body, parent)
    x = body.A.motion(parent.alpha) + body.a + (body.S_A + body.S_B) @ body.qdd
    body.alpha = body.W.motion(x)
    body.b = body.J @ body.alpha + gyroscopic_wrench(body)


def plain_accelerate(body: Any, parent: Any) -> None:
    """Newton-Euler with ordinary accelerations, written with cross products instead of the acceleration tensor."""
    spin(body, parent)
    x = body.A.motion(parent.alpha) + body.a + (body.S_A + body.S_B) @ body.qdd
    body.alpha = body.W.motion(x) + centripetal_acceleration(body)
    body.b = body.J @ body.alpha + gyroscopic_couple(body)


TWIST_FORWARD = algorithm(
    "articulated-body with twists",
    ("outward", twist_velocities),
    ("inward", twist_inertias),
    ("outward", articulated_body.accelerations),
    results=["qdd"],
    inputs=["q", "v", "tau"],
)
TWIST_INVERSE = algorithm(
    "newton-euler with twists",
    ("outward", twist_accelerate),
    ("inward", collect),
    results=["generalized"],
    inputs=["q", "v", "qdd"],
)
PLAIN_INVERSE = algorithm(
    "newton-euler with cross products",
    ("outward", plain_accelerate),
    ("inward", collect),
    results=["generalized"],
    inputs=["q", "v", "qdd"],
)

Variant = Callable[[str, Algorithm], Count]


def switched(*patches: tuple[Any, str, Any], **options: bool) -> Variant:
    """The count with attributes of modules replaced, or with options of the plan."""

    def variant(chain: str, method: Algorithm) -> Count:
        with ExitStack() as stack:
            for module, name, value in patches:
                stack.enter_context(patch.object(module, name, value))
            return per_body(chain, method, **options)

    return variant


def _twists(chain: str, method: Algorithm) -> Count:
    return per_body(chain, TWIST_FORWARD if method is ARTICULATED_BODY else TWIST_INVERSE)


def _no_tensor(chain: str, method: Algorithm) -> Count:
    return per_body(chain, PLAIN_INVERSE if method is NEWTON_EULER else method)


def _no_setup(chain: str, method: Algorithm) -> Count:
    c = per_body(chain, method)
    return Count(c.state + c.setup, 0)


WITHOUT: dict[str, Variant] = {
    "all savings on": per_body,
    "canonical frames": switched(canonical=False),
    "elementary rotations": switched((joints_cache, "link_body", dense_pose)),
    "zero and one patterns of numbers": switched((trace_numbers, "EXACT", ())),
    "zeros in articulated inertias": switched((articulated_body, "unit_columns", lambda S: {})),
    "merging of identities": switched((joint_program, "merge_identities", list)),
    "symmetric storage": switched((joints_cache, "link_body", full_inertia), (Pose, "inertia", pass_in_full)),
    "common terms": switched(shared=False),
    "regrouped inertia": switched(regroup=False),
    "acceleration tensor": _no_tensor,
    "ordinary accelerations (and tensor)": _twists,
    "set-up split": _no_setup,
}


def function_torus(u: Any, v: Any) -> tuple[Any, Any, Any]:
    """A torus as a user would write it, with nothing known about its frames."""
    return (0.7 + 0.2 * cos(v)) * cos(u), (0.7 + 0.2 * cos(v)) * sin(u), 0.2 * sin(v)


def function_ball(u: Any, v: Any) -> tuple[Any, Any, Any]:
    """A sphere in the same way."""
    return 0.3 * cos(u) * sin(v), 0.3 * sin(u) * sin(v), 0.3 * cos(v)


MERGED: dict[str, Any] = {
    "a torus given as a function, on another": SurfaceSurface(function_torus, function_torus),
    "a point on a sphere given as a function": OnSurface(function_ball),
    "a bead on a helix given as a function": OnCurve(lambda s: (cos(s), sin(s), 0.2 * s), spin=True),
    "a torus of the library on another": SurfaceSurface(surfaces.Torus(0.7, 0.2), surfaces.Torus(0.7, 0.2)),
    "an ellipsoid of the library on another": SurfaceSurface(surfaces.Ellipsoid(3, 2, 1), surfaces.Ellipsoid(3, 2, 1)),
    "an ideal ball joint": Spherical(),
}


def merging_table() -> list[str]:
    """Operations of pose, Jacobian and bias of joints, without and with identities merged."""
    lines = ["| joint | without | with |", "|---|---:|---:|"]
    for name, joint in MERGED.items():
        mech = Mechanism("one joint")
        mech.add_body("body", joint=joint, inertia=Inertia.box(1.0, 1.0, 2.0, 3.0))
        (link,) = make_plan(mech).links
        plain = _outputs(patch.object(joint_program, "merge_identities", list), link)
        lines.append(f"| {name} | {plain} | {_outputs(ExitStack(), link)} |")
    return lines


def _outputs(context: Any, link: Any) -> int:
    with context:
        outputs = [x for x in joint_program.trace_joint(link).outputs if isinstance(x, Node)]
    return count_operations(outputs[0].graph, [x.id for x in outputs]).total


def table() -> list[str]:
    """The counts as a table in Markdown."""
    methods = (("forward", ARTICULATED_BODY), ("inverse", NEWTON_EULER))
    heads = [f"{what}, {chain}" for what, _ in methods for chain in CHAINS]
    lines = ["| without | " + " | ".join(heads) + " |", "|---|" + "---:|" * len(heads)]
    base: Sequence[float] = ()
    for name, variant in WITHOUT.items():
        found = [variant(chain, method).state for _, method in methods for chain in CHAINS]
        base = base or found
        cells = [_cell(x, b) for x, b in zip(found, base, strict=True)]
        lines.append(f"| {'*nothing: ' + name + '*' if found is base else name} | " + " | ".join(cells) + " |")
    return lines


def _cell(x: float, base: float) -> str:
    more = 100 * (x / base - 1)
    return f"{x:.0f}" + (f" (+{more:.0f} %)" if more >= 0.5 else f" ({more:.0f} %)" if more <= -0.5 else "")


def write(lines: Sequence[str]) -> None:
    """Put the table into the documentation page."""
    text = PAGE.read_text()
    head, rest = text.split(BEGIN)
    PAGE.write_text(head + "\n".join([BEGIN, "", *lines, "", END]) + rest.split(END)[1])


def main() -> None:
    """Print the table; with --write, into the page as well."""
    lines = [*table(), "", *merging_table()]
    print("\n".join(lines))
    if "--write" in sys.argv[1:]:
        write(lines)


if __name__ == "__main__":
    main()
