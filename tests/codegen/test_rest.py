"""Derivatives of loops that come to rest, against closed forms."""

import ctypes

import numpy as np
import pytest

from anyjoint.codegen import Array, CompiledSchedule
from anyjoint.codegen.adjoint import adjoint, bar_of
from anyjoint.codegen.builder import Builder
from anyjoint.codegen.tangent import rate_of, tangent
from anyjoint.errors import InputError
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


def test_second_derivatives_are_refused():
    with pytest.raises(InputError, match="second derivatives of steps that solve equations"):
        tangent(adjoint(cosines(), ["x"]), ["x"], ["result", bar_of("x")])
