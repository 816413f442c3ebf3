"""The list of passes is complete: nothing else runs them, and the docs say the same."""

import re
from pathlib import Path

import anyjoint.codegen
from anyjoint.codegen import ahead, complete, cut, grouped, hoist, identities, ir, merge, pack, passes, reload

RUN = {
    "ahead": ahead.ahead, "merge": merge.merged, "identities": identities.without_identities,
    "complete": complete.completed, "lower": ir.lower, "cut": cut.cut, "group": grouped.grouped,
    "hoist": hoist.hoisted, "gather": grouped.gathered, "reload": reload.reloaded, "pack": pack.packed,
}  # fmt: skip


def test_every_pass_is_run_by_the_list_alone():
    assert [x.name for x in passes.passes()] == list(RUN)
    sources = {p.name: p.read_text() for p in Path(anyjoint.codegen.__file__).parent.glob("*.py")}
    for function in RUN.values():
        name, own = function.__name__, f"{function.__module__.rsplit('.', 1)[1]}.py"
        callers = [file for file, text in sources.items() if re.search(rf"(?<!def )(?<![\w.]){name}\(", text)]
        assert set(callers) - {own} == {"passes.py"}, name


def test_docs_list_the_passes():
    guide = (Path(__file__).parents[2] / "docs" / "inside.md").read_text()
    rows = [tuple(x.strip(" `") for x in line.strip("|").split("|")) for line in guide.splitlines() if line[:1] == "|"]
    assert [row for row in rows if row[0] in RUN] == [tuple(x) for x in passes.passes()]
