"""What a model tells about itself: operations, classes, sizes; and sources that are the same in every process."""

import os
import subprocess
import sys
from collections import Counter

import pytest

from anyjoint.codegen import count_operations
from anyjoint.mechanism import gallery


def test_the_report_tells_what_was_compiled():
    mech = gallery.revolute_chain(60)
    model = mech.compile()
    model.mass_matrix(mech.start[0])
    report = model.report()
    assert report.name == mech.name
    assert (report.bodies, report.links, report.coordinates) == (60, 60, 60)
    assert report.joint_kinds == ("Revolute",)
    assert report.algorithm == model.formulation == "articulated-body"
    forward = report.programs[0]
    assert (forward.quantity, forward.form) == ("forward_dynamics", "kernels")
    assert forward.operations == model.op_count().total
    assert 200 < forward.operations_per_body < 443  # the prototype's
    assert 0 < forward.kernels < 15
    assert forward.work_bytes > 0
    text = str(report)
    for word in ("60 bodies", "articulated-body", "kernels", "forward_dynamics", "mass_"):
        assert word in text


def kernel_table(program):
    """Operations and calls of each kernel of a program."""
    calls = Counter()
    for run in program.trace.schedule.runs:
        calls[run.kernel] += run.times
    for k, kernel in enumerate(program.trace.schedule.kernels):
        yield {"calls": calls[k], **dict(count_operations(kernel.graph, [s.node.id for s in kernel.stores]))}


def test_kernels_serve_all_bodies_of_their_class():
    model = gallery.revolute_chain(60).compile(form="kernels")
    program = model.program("forward_dynamics")
    table = list(kernel_table(program))
    assert sum(row["calls"] for row in table) == 3 * 60 + 8  # three sweeps; sines of eight hinges at a time
    total = sum(row["calls"] * row["total"] for row in table)
    assert total == model.op_count().total


def test_number_of_kernels_does_not_grow_with_the_mechanism():
    models = (gallery.revolute_chain(n).compile(form="kernels") for n in (20, 80))
    small, large = (len(model.program("forward_dynamics").trace.schedule.kernels) for model in models)
    assert abs(small - large) <= 1  # sines are computed by one kernel, or by two where not all calls take as many


@pytest.mark.parametrize("quantity", ["forward_dynamics", "inverse_dynamics", "mass_matrix", "body_poses"])
def test_counts_have_all_kinds(quantity):
    count = gallery.revolute_chain(4).compile().op_count(quantity)
    assert set(count) == {"add", "mul", "div", "sqrt", "trig", "other", "total"}
    # A sine and a cosine of every angle, once; the mass matrix does not depend on the first.
    assert count.trig == (6 if quantity == "mass_matrix" else 8)
    assert count.total == sum(count[k] for k in count if k != "total")


def test_auto_takes_the_fewest_operations():
    for mech in (gallery.revolute_chain(3), gallery.revolute_chain(12), gallery.torus_chain(2)):
        counts = {x: mech.compile(x).op_count().total for x in ("auto", "articulated-body", "composite-rigid-body")}
        assert counts["auto"] <= min(counts.values())


SCRIPT = """
from anyjoint.mechanism import gallery
chain, tori, tongs = gallery.revolute_chain(3), gallery.torus_chain(2), gallery.tongs_with_fish(2)
for mech, form in ((chain, "kernels"), (tori, "straight"), (tori, "kernels"), (tongs, "straight")):
    model = mech.compile(form=form)
    for quantity in ("forward_dynamics", "inverse_dynamics"):
        for language in ("c", "js", "llvm"):
            print(model.source(language, quantity))
"""


def test_sources_are_the_same_in_every_process(tmp_path):
    texts = []
    for seed in ("1", "2"):
        environment = os.environ | {"PYTHONHASHSEED": seed, "ANYJOINT_CACHE": str(tmp_path / seed)}
        run = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, env=environment, check=True)
        texts.append(run.stdout)
    assert texts[0] == texts[1]
    assert len(texts[0]) > 10_000


def test_the_repr_is_short():
    assert repr(gallery.revolute_chain(2).compile()) == "<Model of '2 generic hinges': 2 bodies, 2 degrees of freedom>"
