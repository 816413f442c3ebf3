"""Limbs side by side: what they have in common becomes vector operations, and no bit changes."""

import numpy as np
import pytest

from anyjoint.codegen import Array, Kernel, Store, compile_function, pack, passes
from anyjoint.codegen.ir import LEAVES, lower
from anyjoint.codegen.pack import Pack, packed
from anyjoint.symbolic import Graph, select, variables
from anyjoint.symbolic.interpret import evaluate
from codegen import programs, support

LENGTH = 40


def limbs(x, count, last=1.0):
    """Limbs that add up to a trunk's number, which moves them all; the last one may differ in a factor at its tip."""
    per = len(x) // count
    carried, kept = [], []
    for k in range(count):
        a, b, c = x[per * k : per * k + 3]
        b = b * last if k == count - 1 else b
        steps = []
        for _ in range(LENGTH):
            a, b = a * c + b, b - a * a
            steps.append((a, b))
        carried.append(a + b)
        kept.append(steps)
    trunk = sum(carried[1:], carried[0])
    trunk = trunk / (1.0 + trunk * trunk)
    outputs = []
    for k, steps in enumerate(kept):
        moved = trunk * x[per * k]
        for a, b in reversed(steps):
            moved = select(a < b, moved * a, moved) + b * 0.5
        outputs.append(moved)
    return outputs


def program(count, **options):
    graph = Graph()
    x = variables("x", 3 * count, graph=graph)
    outputs = limbs(x, count, **options)
    stores = tuple(Store(y, 1, k) for k, y in enumerate(outputs))
    arrays = (Array("x", "row"), Array("y", "row"))
    return lower(Kernel(graph, arrays, {node.id: (0, k) for k, node in enumerate(x)}, stores))


@pytest.mark.parametrize(("count", "sizes"), [(2, {2}), (4, {4}), (6, {4, 2})])
def test_limbs_that_are_alike_are_packed(count, sizes):
    given = program(count)
    steps = packed(given)
    packs = [step for step in steps if isinstance(step, Pack)]
    assert {len(step.values) for step in packs} == sizes
    total = sum(statement.op not in LEAVES for statement in given.statements)
    assert sum(len(step.values) for step in packs) > 0.9 * total


@pytest.mark.parametrize("count", [1, 4])
def test_only_code_with_limbs_stays_whole(monkeypatch, count):
    """Pieces would tear limbs apart; long code without any is faster in pieces."""
    monkeypatch.setattr(passes, "WHOLE", 100)
    monkeypatch.setattr(passes, "lower", lambda *_: program(count))
    monkeypatch.setattr(passes, "cut", lambda listing, whole: whole)
    assert passes.in_pieces(None, "") == (passes.WITH_LIMBS if count > 1 else 100)


def test_every_value_is_made_once_and_after_its_operands():
    given = program(4)
    made = set()
    for step in packed(given):
        args = step.args if not isinstance(step, Pack) else [x for row in step.operands for x in row]
        assert made.issuperset(args)
        results = step.values if isinstance(step, Pack) else [step.result]
        assert made.isdisjoint(results) or results == [-1]
        made.update(results)
    assert {s.result for s in given.statements} <= made | {-1}


def test_code_without_limbs_stays_as_it_is():
    given = program(1)
    assert packed(given) == given.statements


@pytest.mark.parametrize("last", [1.0, 0.75])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_packs_give_the_same_bits(last, dtype):
    x = variables("x", 12)
    outputs = limbs(x, 4, last)
    points = programs.random_points(1, 5, 12)
    f = compile_function([x], outputs, contract=False, dtype=dtype)
    assert "x double>" in f.source("llvm") or dtype == "float32"
    alone, together = np.array([f(point.astype(dtype)) for point in points]), f(points.astype(dtype))
    assert alone.tobytes() == together.tobytes()
    if dtype == "float64":
        want = [evaluate(outputs, dict(zip(x, map(float, row), strict=True))) for row in points]
        assert programs.same_bits(alone, np.array(want, dtype=float))


def test_random_programs_packed_by_force_give_the_same_bits(monkeypatch):
    """Values that happen to be alike, among all others: packs that would wait for each other are undone."""
    monkeypatch.setenv("ANYJOINT_CACHE", "off")
    found = 0
    for seed in range(6):
        x = variables("x", 6, domain=(-1.0, 1.0))
        outputs = [y for k in range(4) for y in programs.random_outputs(4 * seed + k, x, 60)]
        points = programs.random_points(seed, 5)
        plain = support.rows_by_llvm(x, outputs, points, contract=False)
        with monkeypatch.context() as forced:
            forced.setattr(pack, "WORTH", -10.0)
            forced.setattr(passes, "LONG", 0)
            f = compile_function([x], outputs, contract=False)
            found += f.source("llvm").count("extractelement <2 x double>")
            assert programs.same_bits(support.rows_by_llvm(x, outputs, points, contract=False), plain)
    assert found > 20
