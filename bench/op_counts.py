"""Operations of inverse and forward dynamics against the papers: `python -m bench.op_counts [--plots FOLDER]`.

Counted are additions and multiplications of the generated straight-line code for one state. Changes of sign are free
(they fold into sums and products), and whatever depends on masses and lengths alone is computed when those change, not
per state; hand-derived counts leave it out in the same way. Divisions (one per degree of freedom but the tip's) and
the sine and cosine of each angle are listed apart, as the papers do not count them. Guenter & Lee call their two rows
roughly the best and the worst case without giving the chain; ours are the two below, both in the gallery.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from anyjoint.codegen import OpCount, count_schedule
from anyjoint.mechanism import Mechanism
from anyjoint.mechanism.gallery import revolute_chain, torus_chain
from anyjoint.quantity import QUANTITIES as RECORDS
from anyjoint.trace.workshop import Workshop

GEOMETRY = {
    "simple": "axes alternate between y and x, links are rods along z with diagonal inertias",
    "generic": "random axes, placements and inertias; no entry is zero, parallel or at a right angle",
}
# Guenter & Lee, Table 1: (additions, multiplications).
PAPERS = {
    ("inverse", "simple"): {"Guenter & Lee, best case": (328, 365)},
    ("inverse", "generic"): {"Guenter & Lee, worst case": (509, 971), "Balafoutis & Patel": (386, 450)},
    ("forward", "simple"): {"Guenter & Lee, best case": (818, 943)},
    ("forward", "generic"): {"Guenter & Lee, worst case": (1875, 2389), "Balafoutis & Patel": (790, 956)},
}
FORWARD = ("auto", "articulated-body", "recursive", "modified-articulated-body", "composite-rigid-body", "lagrangian")
INVERSE = {"newton-euler": "inverse_dynamics", "lagrangian": "inverse_dynamics_lagrangian"}


def forward_count(mech: Mechanism, algorithm: str = "auto", form: str = "straight") -> OpCount:
    """Operations of forward dynamics; nothing is compiled to machine code for it."""
    return count_schedule(RECORDS["forward_dynamics"].trace(Workshop(mech, form), algorithm).schedule)


def inverse_count(mech: Mechanism, algorithm: str = "newton-euler") -> OpCount:
    """Operations of inverse dynamics."""
    return count_schedule(RECORDS[INVERSE[algorithm]].trace(Workshop(mech, "straight"), "auto").schedule)


@dataclass(frozen=True)
class Growth:
    """Counts of a family of mechanisms and the straight line through them."""

    name: str
    sizes: tuple[int, ...]
    counts: tuple[int, ...]

    @property
    def line(self) -> tuple[float, float]:
        """Operations per body, and at size zero; the first sizes, where much is still zero, do not count."""
        slope, start = np.polyfit(self.sizes[3:], self.counts[3:], 1)
        return float(slope), float(start)

    @property
    def residual(self) -> float:
        """Largest distance from the line, in operations."""
        slope, start = self.line
        return float(max(abs(slope * n + start - c) for n, c in zip(self.sizes[3:], self.counts[3:], strict=True)))


CHAINS: dict[str, tuple[Callable[[int], Mechanism], tuple[int, ...]]] = {
    "hinges, generic": (revolute_chain, (1, 2, 3, 4, 6, 8, 10, 12, 14)),
    "hinges, simple": (lambda n: revolute_chain(n, "simple"), (1, 2, 3, 4, 6, 8, 10, 12, 14)),
    "tori": (torus_chain, (1, 2, 3, 4, 5, 6, 7)),
}
QUANTITIES: dict[str, Callable[[Mechanism], OpCount]] = {
    "inverse, newton-euler": inverse_count,
    "forward, recursive": lambda mech: forward_count(mech, "recursive"),
    "forward, articulated-body": lambda mech: forward_count(mech, "articulated-body"),
}


def growth(chain: str, quantity: str) -> Growth:
    """Counts of a quantity along a family of chains [GL Fig. 6, 7]."""
    make, sizes = CHAINS[chain]
    counts = tuple(QUANTITIES[quantity](make(n)).total for n in sizes)
    return Growth(f"{quantity}, {chain}", sizes, counts)


def six_hinges() -> None:
    """Print the counts of the six-hinge chain beside those of the papers."""
    for geometry, words in GEOMETRY.items():
        mech = revolute_chain(6, geometry)
        print(f"\nSix hinges, {geometry} geometry: {words}\n{'':46s} {'+-':>6s} {'*':>6s} {'/':>5s} {'sin cos':>8s}")
        for what in ("inverse", "forward"):
            for name, (add, mul) in PAPERS[what, geometry].items():
                print(f"{what + ': ' + name:46s} {add:6d} {mul:6d}")
            for name in INVERSE if what == "inverse" else FORWARD:
                count = inverse_count(mech, name) if what == "inverse" else forward_count(mech, name)
                print(
                    f"{what + ': anyjoint, ' + name:46s} {count.add:6d} {count.mul:6d} {count.div:5d} {count.trig:8d}"
                )


def chains() -> list[Growth]:
    """Print counts against size for all families."""
    found = [growth(chain, quantity) for chain in CHAINS for quantity in QUANTITIES]
    print(
        "\nOperations against the number of bodies, all kinds together; straight line through all but the first three"
    )
    for g in found:
        slope, start = g.line
        counts = " ".join(f"{n}:{c}" for n, c in zip(g.sizes, g.counts, strict=True))
        print(f"{g.name}\n    {counts}\n    = {slope:.1f} n {start:+.1f}, off by at most {g.residual:.1f}")
    return found


def draw(found: Sequence[Growth], folder: Path) -> Path | None:
    """Counts against size as an SVG, like [GL Fig. 6, 7]; without matplotlib there is none."""
    try:
        import matplotlib
    except ImportError:
        return None
    matplotlib.use("Agg")
    matplotlib.rcParams.update({"svg.hashsalt": "anyjoint", "svg.fonttype": "none", "font.size": 9})
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, len(CHAINS), figsize=(11, 3.4), layout="constrained")
    for chain, ax in zip(CHAINS, axes, strict=True):
        for g in (g for g in found if g.name.endswith(chain)):
            _curve(ax, g, g.name.removesuffix(f", {chain}"))
        ax.set(title=chain, xlabel="bodies", ylim=(0, None))
    axes[0].set_ylabel("operations per evaluation")
    axes[0].legend(frameon=False)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "op_counts.svg"
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)
    return path


def _curve(ax: Any, g: Growth, label: str) -> None:
    slope, start = g.line
    (marks,) = ax.plot(g.sizes, g.counts, "o", ms=4, label=label)
    ends = np.array([0, g.sizes[-1]])
    ax.plot(ends, slope * ends + start, "-", lw=0.8, color=marks.get_color())


def main() -> None:
    """Print both tables and write the plot."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plots", type=Path, default=Path(__file__).parent / "plots", help="folder for op_counts.svg")
    options = parser.parse_args()
    six_hinges()
    path = draw(chains(), options.plots)
    print(f"\nplot: {path}" if path else "\nno plot: matplotlib is not installed")


if __name__ == "__main__":
    main()
