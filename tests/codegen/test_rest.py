"""Derivatives of loops that come to rest, against closed forms."""

import ctypes

import numpy as np
import pytest

from anyjoint.codegen import Array, CompiledSchedule
from anyjoint.codegen.adjoint import adjoint, bar_of
from anyjoint.codegen.builder import Builder
from anyjoint.codegen.merge import merged
from anyjoint.codegen.tangent import rate_of, tangent
from anyjoint.errors import ExpressionError
from anyjoint.scalar import absolute, cos, less, select
from codegen import support

X = np.array([[0.1], [0.6], [0.9], [0.5], [0.3], [0.95], [0.0]])


def cosines():
    """z = x cos z, by passes that come closer the more slowly the larger x is; then 3 z^2."""
    builder = Builder((Array("x", "row"), Array("result", "row")))
    z, on = builder.room(1), builder.room(1)
    builder.pointwise(1, {}, {}, {"z": z, "on": on}, lambda _: {"z": 0.5, "on": 1.0})
    begin = len(builder.runs)

    def closer(v):
        new = v["x"] * cos(v["z"])
        going = select(less(1e-14, absolute(new - v["z"])), 1.0, 0.0)
        active = less(0.0, v["on"])
        return {"z": select(active, new, v["z"]), "on": select(active, going, 0.0)}

    builder.pointwise(1, {"x": builder.place("x"), "z": z, "on": on}, {}, {"z": z, "on": on}, closer)
    builder.repeat(begin, on)
    builder.pointwise(1, {"z": z}, {}, {"y": builder.place("result")}, lambda v: {"y": 3 * v["z"] * v["z"]})
    return builder.schedule()


def expected(result):
    """dz/dx = cos z / (1 + x sin z), times 6 z."""
    z = np.sqrt(result / 3)
    return 6 * z * np.cos(z) / (1 + X * np.sin(z))


def test_adjoint_and_tangent_of_an_equation():
    for transform, given in ((adjoint, bar_of("result")), (tangent, rate_of("x"))):
        code = CompiledSchedule(transform(cosines(), ["x"]))
        names = [array.name for array in code.schedule.arrays if array.kind != "lane"]
        rows = {name: np.zeros((len(X), 1)) for name in names} | {"x": X, given: np.ones((len(X), 1))}
        code(*(rows[name] for name in names))
        slope = rows[bar_of("x") if transform is adjoint else rate_of("result")]
        assert slope == pytest.approx(expected(rows["result"]), rel=1e-12, abs=1e-15)
        for k in range(len(X)):  # no state depends on how many passes its neighbours need
            alone = {name: row[k].copy() for name, row in rows.items()} | {"result": np.zeros(1)}
            code(*(alone[name] for name in names))
            assert alone[bar_of("x") if transform is adjoint else rate_of("result")] == slope[k]


def test_a_loop_that_does_not_come_to_rest():
    """Passes of the derivative are as slow as those of the loop: what is not known is not finite."""
    code = CompiledSchedule(adjoint(cosines(), ["x"]))
    out, x = [np.zeros(1) for _ in range(3)], np.array([1.3])  # |x sin z| is 0.97
    code(x, out[0], out[1], np.ones(1))
    assert not np.isfinite(out[1]).any()


def test_the_same_in_c_and_javascript(tmp_path):
    code = CompiledSchedule(adjoint(cosines(), ["x"]))
    x, rows = X[1], [np.zeros(1), np.zeros(1), np.ones(1)]
    code(x, *rows)
    entry, work = support.c_function(code.source("c"), "run", tmp_path), np.empty(64)
    again = [np.zeros(1), np.zeros(1), np.ones(1)]
    entry(*(ctypes.c_void_p(a.ctypes.data) for a in (x, *again, work)))
    assert again[1] == pytest.approx(rows[1], rel=1e-14)
    text = code.source("js")
    text += "\nfunction f(x, out) { run(x, new Float64Array(1), out, [1], new Float64Array(WORK)); }"
    assert support.javascript_rows(text, "f", X[1:2], [], 1, tmp_path)[0] == pytest.approx(rows[1], rel=1e-14)


def test_second_derivatives_of_an_equation():
    """The tangent of the adjoint; rates of adjoints come to rest a little later than adjoints."""
    code = CompiledSchedule(tangent(adjoint(cosines(), ["x"], twice=True), ["x"], ["result", bar_of("x")]))
    names = [array.name for array in code.schedule.arrays if array.kind != "lane"]
    ones = np.ones((len(X), 1))
    rows = {name: np.zeros((len(X), 1)) for name in names} | {"x": X, rate_of("x"): ones, bar_of("result"): ones}
    code(*(rows[name] for name in names))
    z = np.sqrt(rows["result"] / 3)
    D, s, c = 1 + X * np.sin(z), np.sin(z), np.cos(z)
    first = c / D
    second = (-s * first * D - c * (s + X * c * first)) / D**2
    assert rows[bar_of("x")] == pytest.approx(6 * z * first, rel=1e-12, abs=1e-15)
    assert rows[rate_of(bar_of("x"))] == pytest.approx(6 * first**2 + 6 * z * second, rel=1e-11, abs=1e-15)


def test_the_adjoint_of_an_adjoint_is_refused():
    with pytest.raises(ExpressionError, match="adjoint of an adjoint"):
        adjoint(adjoint(cosines(), ["x"]), ["x"])


def passes():
    """y = z where z^3 + z = x + y, at most three times from y = 0, once where that moves it little.

    z is found by Newton's method; how far it goes each time is searched for by halving.
    """
    builder = Builder((Array("x", "row"), Array("result", "row")))
    names = {name: builder.room(1) for name in ("y", "z", "far", "part", "going", "on", "seek", "count")}
    y, z, far, part, going, on, seek, count = names.values()
    x = {"x": builder.place("x")}
    ones = {name: names[name] for name in ("going", "on", "seek")}
    builder.pointwise(1, {}, {}, {**ones, "y": y, "z": z, "count": count},
                      lambda _: {"going": 1.0, "on": 1.0, "seek": 1.0, "y": 0.0, "z": 0.0, "count": 0.0})  # fmt: skip
    outer = len(builder.runs)
    builder.pointwise(1, {"going": going}, {}, {"on": on}, lambda v: {"on": v["going"]})
    inner = len(builder.runs)

    def newton(v):
        off = v["z"] * v["z"] * v["z"] + v["z"] - v["x"] - v["y"]
        return {"far": -off / (3 * v["z"] * v["z"] + 1), "part": 2.0}

    builder.pointwise(1, {**x, "y": y, "z": z}, {}, {"far": far, "part": part}, newton)
    search = len(builder.runs)

    def halve(v):
        part = 0.5 * v["part"]
        return {"part": part, "seek": select(less(0.3, absolute(part * v["far"])), 1.0, 0.0)}

    builder.pointwise(1, {"far": far, "part": part}, {}, {"part": part, "seek": seek}, halve)
    builder.repeat(search, seek, "search")

    def move(v):
        active = less(0.0, v["on"])
        more = select(less(1e-13, absolute(v["far"])), 1.0, 0.0)
        part = select(less(v["part"], 1.5), v["part"], 1.0)  # a search that was left out
        return {"z": select(active, v["z"] + part * v["far"], v["z"]), "on": select(active, more, 0.0)}

    builder.pointwise(1, {"z": z, "far": far, "part": part, "on": on}, {}, {"z": z, "on": on}, move)
    builder.repeat(inner, on)

    def again(v):
        active = less(0.0, v["going"])
        more = select(less(0.2, absolute(v["z"] - v["y"])), select(less(v["count"], 1.5), 1.0, 0.0), 0.0)
        return {"y": select(active, v["z"], v["y"]), "going": select(active, more, 0.0), "count": v["count"] + 1}

    builder.pointwise(1, {name: names[name] for name in ("y", "z", "going", "count")}, {},
                      {name: names[name] for name in ("y", "going", "count")}, again)  # fmt: skip
    builder.repeat(outer, going, "passes", 3)
    builder.pointwise(1, {"y": y}, {}, {"y": builder.place("result")}, lambda v: {"y": v["y"]})
    return builder.schedule()


def by_hand(x):
    """y and its derivative, by as many passes as each number needs."""
    y, slope = 0.0, 0.0
    for _ in range(3):
        roots = np.roots([1, 0, 1, -x - y])
        z = float(roots[np.argmin(np.abs(roots.imag))].real)
        slope = (1 + slope) / (3 * z * z + 1)
        moved, y = abs(z - y), z
        if moved <= 0.2:
            break
    return y, slope


def test_loops_within_loops():
    """A few passes are written out, lanes that are done stay as they are, and searches are left out."""
    x = np.array([[0.1], [1.7], [0.15], [0.9], [3.0], [-1.2]])
    for transform, given, found in (
        (adjoint, bar_of("result"), bar_of("x")), (tangent, rate_of("x"), rate_of("result"))
    ):  # fmt: skip
        code = CompiledSchedule(transform(passes(), ["x"]))
        assert len(merged(code.schedule).kernels) == len(code.schedule.kernels)  # those of all passes are the same
        names = [array.name for array in code.schedule.arrays if array.kind != "lane"]
        rows = {name: np.zeros((len(x), 1)) for name in names} | {"x": x, given: np.ones((len(x), 1))}
        code(*(rows[name] for name in names))
        expected = np.array([by_hand(float(row[0])) for row in x])
        assert rows["result"][:, 0] == pytest.approx(expected[:, 0], rel=1e-12)
        assert rows[found][:, 0] == pytest.approx(expected[:, 1], rel=1e-12)
