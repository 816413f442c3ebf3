"""compile_function as its user meets it: shapes, types, errors, addresses, texts."""

import ctypes
import subprocess

import numpy as np
import pytest

from anyjoint.codegen import compile_function
from anyjoint.codegen.target import register_lanes
from anyjoint.errors import AnyjointError, ExpressionError, InputError
from anyjoint.symbolic import Graph, variables
from codegen import support


def pair():
    g = Graph()
    return variables("x", 2, graph=g), variables("y", 3, graph=g)


def test_vectors_batches_and_broadcasting():
    x, y = pair()
    f = compile_function([x, y], [x[0] * y[0], x[1] + y[2]])
    a, b = np.array([2.0, 3.0]), np.array([5.0, 7.0, 11.0])
    many = np.arange(15.0).reshape(5, 3)
    np.testing.assert_array_equal(f(a, b), [10, 14])
    np.testing.assert_array_equal(f(a, many), np.stack([2 * many[:, 0], 3 + many[:, 2]], axis=1))
    np.testing.assert_array_equal(f(np.tile(a, (5, 1)), many), f(a, many))
    assert f(a, many[:0]).shape == (0, 2)
    assert f(a, many[:1]).shape == (1, 2)


def test_what_can_be_converted_is_converted():
    x, y = pair()
    f = compile_function([x, y], [x[0] - y[1]])
    assert f([4, 0], (0, 1, 0))[0] == 3
    assert f(np.array([4, 0]), np.array([0, 1, 0], dtype=np.float32))[0] == 3
    wide = np.arange(12.0).reshape(2, 6)
    np.testing.assert_array_equal(f(wide[:, ::3], wide[:, 1::2]), [[-3], [-3]])
    frozen = np.array([4.0, 0.0])
    frozen.flags.writeable = False
    assert f(frozen, np.zeros(3))[0] == 4


def test_outputs_keep_their_shape():
    x, _ = pair()
    assert compile_function([x], x[0]).shape == ()
    assert compile_function([x], x[0])([2.0, 0.0]) == 2
    assert compile_function([x], x[0])(np.ones((4, 2))).shape == (4,)
    assert compile_function([x], [[x[0], 1.0, 2], [x[1], 0, x[0]]])(np.ones((4, 2))).shape == (4, 2, 3)
    assert compile_function([x], [])([1, 2]).shape == (0,)
    assert compile_function([x], [1.5])(np.ones((2, 2))).tolist() == [[1.5], [1.5]]
    assert compile_function([], [2.5])().tolist() == [2.5]


def test_inputs_may_be_single_variables_or_matrices():
    g = Graph()
    t, m = g.variable("t"), variables("m", 4, graph=g).reshape(2, 2)
    f = compile_function([t, m], t * m[1, 0])
    assert f(2.0, np.arange(4.0).reshape(2, 2)) == 4
    assert f(np.array([1.0, 2.0]), np.ones((2, 2, 2))).tolist() == [1, 2]


def test_an_input_may_be_unused_and_an_output_repeated():
    x, y = pair()
    f = compile_function([x, y], [x[0], x[0], x[0] + 0])
    assert f([3, 4], np.zeros(3)).tolist() == [3, 3, 3]


def test_single_precision_in_and_out():
    x, _ = pair()
    f = compile_function([x], [x[0].sin() * x[1]], dtype=np.float32)
    assert f(np.ones((9, 2))).dtype == np.float32
    np.testing.assert_allclose(f(np.ones(2)), np.sin(1), rtol=1e-6)


def by_c(f, a, folder):
    """What a function of one vector answers as C."""
    source, library, out = folder / "f.c", folder / "f.so", np.empty_like(f(a))
    source.write_text(f.source("c"))
    command = [support.COMPILER, "-std=c99", "-Wall", "-Wdouble-promotion", "-Werror", "-shared", "-fPIC"]
    subprocess.run([*command, str(source), "-o", str(library), "-lm"], check=True)
    ctypes.CDLL(str(library)).f(ctypes.c_void_p(a.ctypes.data), ctypes.c_void_p(out.ctypes.data))
    return out


def test_single_precision_as_c(tmp_path):
    x, _ = pair()
    outputs = [x[0].sin() * x[1].exp(), x[0].arctan2(x[1]), x[0].minimum(0.1), abs(x[1]).sqrt() ** x[0], x[0].floor()]
    f = compile_function([x], outputs, dtype="float32")
    a = np.array([0.3, 0.7], np.float32)
    np.testing.assert_allclose(by_c(f, a, tmp_path), f(a), rtol=1e-6)


@pytest.mark.parametrize("place", [(0.3, 0.7), (4e7, -0.2)], ids=["near", "huge"])
def test_sines_of_sines_as_c(place, tmp_path):
    """Those side by side need none of each other, and one that is huge leaves the others right."""
    x, _ = pair()
    inner = [x[0].sin(), x[1].cos(), (x[0] + x[1]).sin()]
    f = compile_function([x], [(inner[2] + x[1]).sin(), *inner, inner[0].sin().cos(), (inner[0] + inner[1]).sin()])
    a = np.array(place)
    np.testing.assert_allclose(by_c(f, a, tmp_path), f(a), rtol=1e-14, atol=1e-15)


def test_the_address_is_a_c_function():
    x, y = pair()
    f = compile_function([x, y], [x[0] * y[2], x[1]])
    entry = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)(f.address)
    a, b, out = np.array([2.0, 3.0]), np.array([0.0, 0.0, 5.0]), np.empty(2)
    entry(a.ctypes.data, b.ctypes.data, out.ctypes.data)
    assert out.tolist() == [10, 3]


def test_operations_are_counted():
    x, _ = pair()
    count = compile_function([x], [x[0].sin() * x[0].cos() + x[1] / 3, (x[0] - x[1]).sqrt(), x[1].exp()]).op_count()
    assert dict(count) == {"add": 2, "mul": 1, "div": 1, "sqrt": 1, "trig": 2, "other": 1, "total": 8}
    assert (count + count).total == (2 * count).total == 16
    assert count["mul"] == count.mul == 1


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        (np.ones(3), r"shape \(3,\)"),
        (np.ones((2, 3)), "shape"),
        (np.ones((2, 2, 2)), "shape"),
        (1.0, "shape"),
        (np.ones(2, dtype=complex), "real"),
        (["a", "b"], "real"),
        ([object(), 1], "real"),
    ],
)
def test_wrong_arguments_are_refused(argument, message):
    x, _ = pair()
    with pytest.raises(InputError, match=message):
        compile_function([x], [x[0]])(argument)


def test_wrong_numbers_of_arguments_and_states_are_refused():
    x, y = pair()
    f = compile_function([x, y], [x[0] + y[0]])
    with pytest.raises(InputError, match="expected 2"):
        f(np.ones(2))
    with pytest.raises(InputError, match="equal numbers"):
        f(np.ones((2, 2)), np.ones((3, 3)))


def test_an_output_of_a_variable_that_is_no_input_names_it():
    x, y = pair()
    with pytest.raises(ExpressionError, match=r"'y.*1.*'.*not an input"):
        compile_function([x], [x[0] + y[1]])


def test_inputs_must_be_variables_once_each_of_one_graph():
    x, _ = pair()
    with pytest.raises(InputError, match="expected variables"):
        compile_function([[x[0] + 1]], [x[0]])
    with pytest.raises(InputError, match="expected variables"):
        compile_function([[1.0]], [x[0]])
    with pytest.raises(InputError, match="a second time"):
        compile_function([x, [x[1]]], [x[0]])
    with pytest.raises(InputError, match=r"\[x\]"):
        compile_function(x[0], [x[0]])
    with pytest.raises(ExpressionError, match="different graphs"):
        compile_function([x, variables("z", 1)], [x[0]])


@pytest.mark.parametrize("output", [float("nan"), float("inf"), 1j, "text", None, [1.0]])
def test_outputs_must_be_nodes_or_finite_numbers(output):
    x, _ = pair()
    with pytest.raises(AnyjointError):
        compile_function([x], [x[0], output])


@pytest.mark.parametrize("dtype", ["float16", "int32", "complex128", "nonsense", None.__class__])
def test_unknown_types_are_refused(dtype):
    x, _ = pair()
    with pytest.raises(InputError, match="float64"):
        compile_function([x], [x[0]], dtype=dtype)


@pytest.mark.parametrize("width", [0, 3, -4, 2.0, True, "4", 4 * register_lanes("float64")])
def test_impossible_widths_are_refused(width):
    x, _ = pair()
    with pytest.raises(InputError, match="width"):
        compile_function([x], [x[0]], width=width)


def test_constants_must_fit_the_type():
    x, _ = pair()
    with pytest.raises(ExpressionError, match="too large for float32"):
        compile_function([x], [x[0] * 1e300], dtype="float32")


def test_unknown_languages_are_refused():
    x, _ = pair()
    with pytest.raises(InputError, match="'c', 'llvm' or 'js'"):
        compile_function([x], [x[0]]).source("fortran")
