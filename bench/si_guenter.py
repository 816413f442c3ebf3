"""Table 1 of Si & Guenter by their own methods: `python -m bench.si_guenter [--write]`.

Milliseconds per evaluation of forward dynamics, one state after the other on one core, best of many rounds: Method I is
`recursive`, Method II `recursive-mixed`, and "auto" is what a model takes by itself. `--write` puts the table into
docs/si-guenter.md.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

import anyjoint as aj
from bench import models, ours
from bench.pages import markdown, put
from bench.paper import PAPER_DOFS, PAPER_MS
from bench.peers.protocol import States

METHODS = {
    "recursive": "Method I: anyjoint, `recursive`",
    "recursive-mixed": "Method II: anyjoint, `recursive-mixed`",
    "auto": "anyjoint, `auto`",
}
STATES, SECONDS = 16, 0.3


@dataclass(frozen=True)
class Measure:
    """What one evaluation takes."""

    milliseconds: float
    operations: int


def neutral(name: str) -> models.Model:
    """A mechanism of the table by its name; those of the gallery have no neutral form."""
    return models.chain(name) if name.startswith("RC") else models.Model(name, ())


def measured(name: str, algorithm: str, seconds: float = SECONDS) -> Measure:
    """Time and operations of forward dynamics by a formulation."""
    mech, states = mechanism(name), States(*models.random_states(neutral(name), STATES))
    own = ours.states_of(mech, states)
    model = mech.compile(algorithm=algorithm)
    time = ours.kernel_time(model, "forward_dynamics", [own.q, own.v, own.tau], seconds) if seconds else 0.0
    return Measure(time / 1e6, int(model.op_count().total))


def mechanism(name: str) -> aj.Mechanism:
    """A mechanism of the table."""
    return ours.mechanism(neutral(name))


def table() -> list[list[str]]:
    """Their rows, then ours: milliseconds, and operations."""
    names = list(PAPER_DOFS)
    rows = [["ms per evaluation", *(f"{name} ({PAPER_DOFS[name]})" for name in names)]]
    for method, times in PAPER_MS.items():
        rows.append([method, *(f"{times[name]:g}" if name in times else "" for name in names)])
    found = {algorithm: [measured(name, algorithm) for name in names] for algorithm in METHODS}
    for algorithm, label in METHODS.items():
        rows.append([f"**{label}**", *(f"{x.milliseconds:.5f}" for x in found[algorithm])])
    for algorithm, label in METHODS.items():
        rows.append([f"operations: {label.split(': ')[-1]}", *(f"{x.operations:,}" for x in found[algorithm])])
    return rows


def main() -> None:
    """Print the table; with --write, into the page as well."""
    text = markdown(table())
    print(text)
    if "--write" in sys.argv[1:]:
        put("si-guenter.md", "table 1", text)


if __name__ == "__main__":
    main()
