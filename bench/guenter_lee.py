"""Table 1 and figures 6 to 8 of Guenter & Lee: `python -m bench.guenter_lee [--write]`.

Counted are additions and multiplications of the generated code for one state, as in op_counts.py. `--write` puts the
tables into docs/guenter-lee.md and draws the figures into docs/_static.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from anyjoint.codegen import OpCount, count_schedule
from anyjoint.codegen.opcount import count_operations
from anyjoint.dynamics.lagrangian import LAGRANGIAN_INVERSE
from anyjoint.dynamics.lagrangian_equations import LAGRANGIAN_EQUATIONS
from anyjoint.dynamics.lagrangian_printed import LAGRANGIAN_PRINTED
from anyjoint.dynamics.lagrangian_unfactored import unfactored_forces
from anyjoint.dynamics.mass_matrix import solve_from_leaves
from anyjoint.mechanism import Mechanism
from anyjoint.mechanism.gallery import revolute_chain, torus_chain
from anyjoint.quantity import QUANTITIES, Quantity, Row
from anyjoint.quantity.lagrangian import equations_of_motion
from anyjoint.quantity.quantity import Q, V
from anyjoint.symbolic import Graph
from anyjoint.trace.cholesky_layout import add_equations, solved_schedule
from anyjoint.trace.layout import tree_builder
from anyjoint.trace.straight import Straight
from anyjoint.trace.workshop import Trace, Workshop
from bench import figure_8, ours
from bench.op_counts import GEOMETRY, PAPERS
from bench.pages import figure, markdown, put, save

CHAINS: dict[str, tuple[Callable[[int], Mechanism], tuple[int, ...]]] = {
    "hinges": (revolute_chain, (1, 2, 4, 6, 8, 10, 12, 14)),
    "tori": (torus_chain, (1, 2, 3, 4)),
}
Forces = Callable[[Straight], list[Any]]


# -- what is counted --------------------------------------------------------------------------------------------------


def factored(tree: Straight) -> list[Any]:
    """Forces by the trace form in link axes."""
    tree.run(LAGRANGIAN_INVERSE)
    return tree.values("generalized")


def printed(tree: Straight) -> list[Any]:
    """Forces by the trace form as it is printed [GL eq. 13]."""
    tree.run(LAGRANGIAN_PRINTED)
    return tree.values("generalized")


def unfactored(tree: Straight) -> list[Any]:
    """Forces by a sum over all bodies for each coordinate [GL eq. 6]."""
    return unfactored_forces(tree.records, tree.plan.parents, tree.root)


FORMS: dict[str, Forces] = {
    "`lagrangian`": factored, "eq. 13 as printed": printed, "eq. 6, not factored": unfactored,
}  # fmt: skip


def inverse(mech: Mechanism, forces: Forces) -> OpCount:
    """Operations of inverse dynamics by one of the forms."""
    name = f"bench: {forces.__name__}"  # traces are remembered by their names
    return count_schedule(Workshop(mech, "straight").straight(name, ("q", "v", "qdd"), forces, "regrouped").schedule)


def equations(forces: Forces) -> Forces:
    """M, its lower triangle, and c by `coefficient` and `substitute` [GL section 4]: what figure 7 counts."""

    def function(tree: Straight) -> list[Any]:
        own = [tree.variables.graph.variable("qdd") for _ in tree.rows["v"]]
        for link, record in zip(tree.plan.links, tree.records, strict=True):
            record.qdd = np.array(own[link.v], dtype=object)
        M, c = equations_of_motion(forces(tree), own)
        return [*(M[i, j] for i in range(len(own)) for j in range(i + 1)), *c]

    return function


def forward(mech: Mechanism, forces: Forces) -> OpCount:
    """Operations of the equations of motion by one of the forms."""
    return count_schedule(traced_equations(Workshop(mech, "straight"), forces).schedule)


def traced_equations(workshop: Workshop, forces: Forces) -> Trace:
    """M and c as a straight program."""
    return workshop.straight(f"bench: equations, {forces.__name__}", ("q", "v"), equations(forces), "regrouped")


# -- table 1 ----------------------------------------------------------------------------------------------------------


def six_hinges(geometry: str) -> dict[str, OpCount]:
    """Inverse and forward dynamics of the chain of table 1 by the form on the page, and by ours."""
    mech = revolute_chain(6, geometry)
    solved = QUANTITIES["forward_dynamics"].trace(Workshop(mech, "straight"), "lagrangian")
    return {
        "inverse, printed": inverse(mech, printed),
        "inverse": inverse(mech, factored),
        "forward": count_schedule(solved.schedule),
    }


def table() -> list[list[str]]:
    """Their numbers, then ours."""
    rows = [["six hinges", "inverse +-", "inverse *", "forward +-", "forward *"]]
    for geometry in GEOMETRY:
        case = "best" if geometry == "simple" else "worst"
        theirs = [PAPERS[what, geometry][f"Guenter & Lee, {case} case"] for what in ("inverse", "forward")]
        rows.append([f"Guenter & Lee, {case} case", *(str(x) for pair in theirs for x in pair)])
        if geometry == "generic":
            others = [PAPERS[what, geometry]["Balafoutis & Patel"] for what in ("inverse", "forward")]
            rows.append(["Balafoutis & Patel", *(str(x) for pair in others for x in pair)])
        found = six_hinges(geometry)
        old = found["inverse, printed"]
        rows.append([f"anyjoint, eq. 13 as printed, {geometry} geometry", str(old.add), str(old.mul), "", ""])
        ours_now = [str(x) for name in ("inverse", "forward") for x in (found[name].add, found[name].mul)]
        rows.append([f"**anyjoint, `lagrangian`, {geometry} geometry**", *(f"**{x}**" for x in ours_now)])
    return rows


# -- figures 6 and 7 --------------------------------------------------------------------------------------------------


LONGER = {"hinges": (20, 26), "tori": (6, 8)}  # for figure 6, where the parabola is flat
Points = list[tuple[int, int]]


def growth(
    chain: str, count: Callable[[Mechanism, Forces], OpCount], form: str, more: Sequence[int] = ()
) -> Points:
    """(coordinates, operations) along a family of chains."""
    make, sizes = CHAINS[chain]
    mechs = [make(n) for n in (*sizes, *more)]
    return [(mech.nv, int(count(mech, FORMS[form]).total)) for mech in mechs]


def missed(points: Points, degree: int) -> float:
    """How far a polynomial of a degree misses the counts, as a share of the largest."""
    n, counts = np.array(points, dtype=float).T
    fit = np.polyval(np.polyfit(n, counts, degree), n)
    return float(np.abs(fit - counts).max() / counts.max())


def draw() -> None:
    """Figures 6 and 7: operations against coordinates, with the line or the parabola through them."""
    for name, count, degree in (("figure-6", inverse, 1), ("figure-7", forward, 2)):
        drawn, axes = figure(len(CHAINS))
        for chain, ax in zip(CHAINS, axes[0], strict=True):
            for form in FORMS:
                points = growth(chain, count, form, LONGER[chain] if degree == 1 else ())
                n, counts = np.array(points, dtype=float).T
                (marks,) = ax.plot(n, counts, "o", ms=4, label=form.strip("`"))
                fit = np.polyfit(n, counts, 2 if "eq. 6" in form else degree)
                at = np.linspace(n[0], n[-1], 50)
                ax.plot(at, np.polyval(fit, at), lw=0.8, color=marks.get_color())
            ax.set(title=chain, xlabel="generalized coordinates", ylim=(0, None))
        axes[0, 0].set_ylabel("operations")
        axes[0, 0].legend(frameon=False)
        save(drawn, f"guenter-lee-{name}")


# -- the timings of section 6 -----------------------------------------------------------------------------------------


def fourteen(seconds: float = 0.3) -> tuple[float, float]:
    """Milliseconds for the equations of motion of four tori, 14 coordinates, and for solving them."""
    mech = torus_chain(4)
    model = mech.compile(algorithm="lagrangian")
    rng = np.random.default_rng(0)
    q = np.asarray(mech.start[0]) + rng.uniform(-0.1, 0.1, (16, mech.nq))
    v, tau = rng.normal(size=(2, 16, mech.nv))
    whole = ours.kernel_time(model, "forward_dynamics", [q, v, tau], seconds)
    size = mech.nv * (mech.nv + 3) // 2
    row = Row("entries", "whole", (size,))
    alone = Quantity("equations", "M and c.", (Q, V), (row,), lambda workshop, _: traced_equations(workshop, factored))
    model.program(alone)
    part = ours.kernel_time(model, "equations", [q, v], seconds)
    return part / 1e6, (whole - part) / 1e6


def extrapolated(form: str) -> tuple[int, int, float]:
    """Operations of the equations of four tori, of their solution, and where these meet as n^2 and n^3 grow.

    That is how the paper comes to 200: from what both take at 14 coordinates.
    """
    mech = torus_chain(4)
    part = int(forward(mech, FORMS[form]).total)
    n, graph = mech.nv, Graph()
    M, right = (np.array([graph.variable("x") for _ in range(k)], dtype=object) for k in (n * n, n))
    solve = int(count_operations(graph, [x.id for x in solve_from_leaves(M.reshape(n, n), right)]).total)
    return part, solve, n * part / solve


def shares(count: int) -> tuple[int, int, int]:
    """Coordinates of a chain of tori, operations of its equations of motion by kernels, and of Cholesky's method."""
    mech = torus_chain(count)
    workshop = Workshop(mech, "kernels")

    def alone(tracer: Any) -> Any:
        builder = tree_builder(tracer)
        *_, rows = add_equations(builder, tracer)
        return builder.schedule(), rows

    ways = {"bench: equations alone": alone, "bench: equations and solution": solved_schedule}
    traced = (workshop.layout(replace(LAGRANGIAN_EQUATIONS, name=name), make) for name, make in ways.items())
    part, whole = (int(count_schedule(trace.schedule).total) for trace in traced)
    return mech.nv, part, whole - part


def crossover(counts: Sequence[int] = (5, 10, 15, 20, 25)) -> tuple[list[tuple[int, int, int]], float]:
    """Shares along chains, and the number of coordinates at which both take the same."""
    found = [shares(n) for n in counts]
    for (n, a, b), (m, c, d) in pairwise(found):
        if b < a and d >= c:
            return found, n + (m - n) * (a - b) / ((a - b) + (d - c))
    return found, float("nan")


def section_6() -> str:
    """What they say about 14 coordinates and about 200, measured here."""
    part, solve = fourteen()
    found, same = crossover()
    rows = [["four tori, 14 coordinates", "equations of motion, ms", "Cholesky, ms"]]
    rows.append(["Guenter & Lee, 2.66 GHz Core 2 Quad", "0.02", "0.0013"])
    rows.append(["**anyjoint, `lagrangian`**", f"{part:.5f}", f"{solve:.5f}"])
    more = [["tori, coordinates", *(str(n) for n, *_ in found)]]
    more.append(["operations of the equations", *(f"{a:,}" for _, a, _ in found)])
    more.append(["operations of Cholesky's method", *(f"{b:,}" for *_, b in found)])
    guess = [["operations at 14 coordinates", "equations", "Cholesky", "as n^2 and n^3 they meet at"]]
    for form in FORMS:
        first, second, meet = extrapolated(form)
        guess.append([form, f"{first:,}", f"{second:,}", f"{meet:.0f}"])
    text = f"Measured along the chain of tori, by kernels, both take the same at about {same:.0f} coordinates."
    return "\n\n".join([markdown(rows), markdown(guess), markdown(more), text])


def main() -> None:
    """Print all; with --write, into the page and its figures as well."""
    tables = {"table 1": markdown(table()), "section 6": section_6(), "figure 8": markdown(figure_8.table())}
    for name, text in tables.items():
        print(f"\n{name}\n\n{text}")
        if "--write" in sys.argv[1:]:
            put("guenter-lee.md", name, text)
    if "--write" in sys.argv[1:]:
        draw()
        figure_8.draw()


if __name__ == "__main__":
    main()
