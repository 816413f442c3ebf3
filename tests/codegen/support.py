"""Ways to run one expression: every back end, and the oracles."""

import ctypes
import json
import math
import shutil
import subprocess

import mpmath
import numpy as np

from anyjoint.codegen import compile_function
from anyjoint.codegen.target import register_lanes

COMPILER = shutil.which("cc") or shutil.which("gcc")
NODE = shutil.which("node")
WIDTH = register_lanes("float64")


def rows_by_llvm(x, outputs, points, **options):
    """Scalar machine code, one row at a time."""
    f = compile_function([x], outputs, **options)
    return np.array([f(row) for row in points])


def rows_by_vector(x, outputs, points, **options):
    """Vector machine code, all rows at once."""
    return compile_function([x], outputs, **options)(points)


def rows_by_c(x, outputs, points, tmp_path, flags=("-O2", "-ffp-contract=off")):
    """The C text, compiled by the system's compiler."""
    entry = c_function(compile_function([x], outputs).source("c"), "f", tmp_path, flags)
    result = np.empty((len(points), len(outputs)))
    for row, out in zip(np.ascontiguousarray(points), result, strict=True):
        entry(ctypes.c_void_p(row.ctypes.data), ctypes.c_void_p(out.ctypes.data))
    return result


def c_function(text, name, tmp_path, flags=("-O2", "-ffp-contract=off")):
    """A function of C text, compiled by the system's compiler without a warning."""
    source, piece, library = (tmp_path / f"f.{end}" for end in ("c", "o", "so"))
    source.write_text(text)
    warnings = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-Wno-unused-function"]
    subprocess.run([COMPILER, *warnings, *flags, "-fPIC", "-c", str(source), "-o", str(piece)], check=True)
    # Linked without flags: -ffast-math would switch off subnormal numbers for the whole process that loads it.
    subprocess.run([COMPILER, "-shared", str(piece), "-o", str(library), "-lm"], check=True)
    return getattr(ctypes.CDLL(str(library)), name)


def rows_by_javascript(x, outputs, points, tmp_path):
    """The JavaScript text, run by node."""
    return javascript_rows(compile_function([x], outputs).source("js"), "f", points, [], len(outputs), tmp_path)


def javascript_rows(text, name, points, others, size, tmp_path):
    """A function of JavaScript text called as name(point, *others, out); numbers travel as exact decimals."""
    program = tmp_path / "f.js"
    rows = json.dumps([[_exact(value) for value in row] for row in points.tolist()])
    fixed = "".join(
        f"Float64Array.from({json.dumps(list(map(repr, other.tolist())))}.map(Number)), " for other in others
    )
    program.write_text(
        f"{text}\nconst rows = {rows};\n"
        f"const out = new Float64Array({size});\n"
        f"console.log(JSON.stringify(rows.map(row => {{ {name}(Float64Array.from(row.map(Number)), {fixed}out);"
        " return Array.from(out, x => Object.is(x, -0) ? '-0' : String(x)); })));\n"
    )
    answer = subprocess.run([NODE, str(program)], check=True, capture_output=True, text=True).stdout
    special = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
    return np.array([[special[word] if word in special else float(word) for word in row] for row in json.loads(answer)])


def _exact(value):
    return repr(value).replace("inf", "Infinity").replace("nan", "NaN")


def ulps(value, exact):
    """The distance of a float from an mpmath number in units of the last place of the latter."""
    if mpmath.isnan(exact) or math.isnan(value):
        return 0.0 if mpmath.isnan(exact) and math.isnan(value) else math.inf
    if mpmath.isinf(exact) or math.isinf(value):
        return 0.0 if exact == value else math.inf
    return float(abs(mpmath.mpf(value) - exact) / mpmath.mpf(math.ulp(float(exact))))
