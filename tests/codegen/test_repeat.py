"""Runs that are repeated while some lane asks for it: machine code, C and JavaScript."""

import ctypes

import numpy as np
import pytest

from anyjoint.codegen import Array, CompiledSchedule
from anyjoint.codegen.builder import Builder
from anyjoint.mechanism import gallery
from anyjoint.quantity.step import STEPS
from anyjoint.scalar import absolute, less, select
from codegen import support


def roots():
    """Square roots by halving steps of Newton's method, with the number of iterations, by lanes that stop alone."""
    builder = Builder((Array("x", "row"), Array("result", "row")))
    y, on, count = (builder.room(1) for _ in range(3))
    start = {"y": y, "on": on, "count": count}
    builder.pointwise(1, {"x": builder.place("x")}, {}, start, lambda v: {"y": v["x"], "on": 1.0, "count": 0.0})
    begin = len(builder.runs)

    def iterate(v):
        better = 0.5 * (v["y"] + v["x"] / v["y"])
        off = less(absolute(better - v["y"]), 1e-15 * v["y"])
        active = less(0.0, v["on"])
        made = {"y": select(active, better, v["y"]), "count": v["count"] + v["on"]}
        return made | {"on": select(active, select(off, 0.0, 1.0), 0.0)}

    builder.pointwise(1, {"x": builder.place("x"), **start}, {}, start, iterate)
    builder.repeat(begin, on)
    result = {"y": builder.place("result"), "count": builder.place("result", 1)}
    builder.pointwise(1, {"y": y, "count": count}, {}, result, lambda v: {"y": v["y"], "count": v["count"]})
    return CompiledSchedule(builder.schedule())


X = np.array([[1.0], [2.0], [1e6], [0.25], [3e12], [7.0], [1e-9], [5.0], [1.0]])


def test_every_state_is_repeated_as_often_as_it_asks(tmp_path):
    code, many = roots(), np.empty((len(X), 2))
    code(X, many)
    assert many[:, 0] == pytest.approx(np.sqrt(X[:, 0]), rel=1e-14)
    assert len(set(many[:, 1])) > 3
    for x, row in zip(X, many, strict=True):
        alone = np.empty(2)
        code(x, alone)
        assert alone.tobytes() == row.tobytes()
    entry, work = support.c_function(code.source("c"), "run", tmp_path), np.empty(8)
    for x, row in zip(X, many, strict=True):
        out = np.empty(2)
        entry(*(ctypes.c_void_p(a.ctypes.data) for a in (x, out, work)))
        assert out == pytest.approx(row, rel=1e-15)
    text = code.source("js") + "\nfunction f(x, out) { run(x, out, new Float64Array(WORK)); }"
    assert support.javascript_rows(text, "f", X, [], 2, tmp_path) == pytest.approx(many, rel=1e-15)


def test_solved_steps_in_c_and_javascript(tmp_path):
    """Backward Euler, its Newton iterations included."""
    model = gallery.revolute_chain(3).compile()
    program = model.program(STEPS["bdf1"])
    q, v, tau, dt = np.array([0.3, 0.4, -0.2]), np.array([1.0, 2.0, 3.0]), np.full(3, 0.1), np.array([0.01])
    wanted = program(q, v, tau, dt)
    size = program.code.schedule.work
    entry, out, work = support.c_function(program.code.source("c"), "run", tmp_path), np.empty(6), np.empty(size)
    entry(*(ctypes.c_void_p(a.ctypes.data) for a in (q, v, tau, dt, out, program.numbers, work)))
    assert out == pytest.approx(wanted, rel=1e-12)
    text = program.code.source("js") + (
        "\nfunction f(q, v, tau, dt, numbers, out) { run(q, v, tau, dt, out, numbers, new Float64Array(WORK)); }"
    )
    made = support.javascript_rows(text, "f", q[None], [v, tau, dt, program.numbers], 6, tmp_path)
    assert made[0] == pytest.approx(wanted, rel=1e-12)
