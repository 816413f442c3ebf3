"""C99 text: self-contained, one header (math.h), no allocation, one state per call."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from anyjoint.codegen import sincos
from anyjoint.codegen.ir import Code
from anyjoint.codegen.kernel import Array, Schedule, written_arrays
from anyjoint.codegen.language import Angle, Language, body, calls, in_columns
from anyjoint.codegen.module import Lowered
from anyjoint.codegen.passes import for_text
from anyjoint.codegen.target import Target
from anyjoint.symbolic.ops import OPERATIONS, Op

LANES = 4  # of a vector: so many sines at once
_INDEX = """\
/* The entry that a real index means: rounded down, clamped to the table; NaN means the first. */
static int entry(double x, int length)
{
    return !(x > 0) ? 0 : x >= length ? length - 1 : (int)x;
}
"""
_SINCOS_SINGLE = """\
/* Sines and cosines of x + y; what rounding takes from the sum is put back. */
static void sincos_of(
    int count, const float *restrict x, const float *restrict y, float *restrict sine, float *restrict cosine)
{
    for (int i = 0; i < count; i++) {
        const float sum = x[i] + y[i];
        const float part = sum - x[i];
        const float lost = (x[i] - (sum - part)) + (y[i] - part);
        const float s = sinf(sum);
        const float c = cosf(sum);
        sine[i] = s + lost * c;
        cosine[i] = c - lost * s;
    }
}
"""


def _language(dtype: str) -> Language:
    real, end = ("double", "") if dtype == "float64" else ("float", "f")
    expressions = {op: _named(of.c, end) for op, of in OPERATIONS.items() if of.c}
    scalar = Target(dtype)
    return Language(
        expressions=expressions,
        define_real=f"const {real} t{{r}} = {{x}};",
        define_condition="const int t{r} = {x};",
        sincos=lambda angles: _sines(angles, real),
        element="a{array}[{offset}]",
        gather="g{table}[entry({a}, {length})]",
        literal=lambda value: _literal(scalar.rounded(value), end),
    )


def _sines(angles: Sequence[Angle], real: str) -> tuple[list[str], dict[int, str]]:
    """One call for all angles, in arrays that have the number of the first and are padded to whole vectors."""
    k, size = angles[0].sine, -(-len(angles) // LANES) * LANES if len(angles) > 1 else 1
    padded = [*angles, *[angles[-1]] * (size - len(angles))]
    x, y = ", ".join(angle.x for angle in padded), ", ".join(angle.y for angle in padded)
    lines = [
        f"const {real} x{k}[] = {{{x}}}, y{k}[] = {{{y}}};",
        f"{real} s{k}[{size}], c{k}[{size}];",
        f"sincos_of({size}, x{k}, y{k}, s{k}, c{k});",
    ]
    sines = {angle.sine: f"s{k}[{i}]" for i, angle in enumerate(angles)}
    return lines, sines | {angle.cosine: f"c{k}[{i}]" for i, angle in enumerate(angles)}


def _named(text: str, end: str) -> str:
    """An expression whose function, if it is one, has the ending of its precision."""
    return re.sub(r"^(\w+)\(", rf"\1{end}(", text)


def _literal(value: float, end: str) -> str:
    """The shortest decimal that reads back as this number; a sign in brackets, so that `-` may stand before it."""
    return f"({value!r}{end})" if repr(value).startswith("-") else f"{value!r}{end}"


def function_source(kernel: Lowered, dtype: str = "float64", name: str = "f") -> str:
    """A file with `void f(const real *a0, ..., real *aN)`: inputs in order, then the output."""
    lines = [*_head([kernel], dtype), *_kernel(name, kernel, dtype, 0, static=False)]
    return "\n".join(lines) + "\n"


def static_source(kernel: Lowered, dtype: str, name: str) -> str:
    """A function as part of a file that has a head of its own."""
    return "\n".join(_kernel(name, kernel, dtype, 0, static=True))


def schedule_source(schedule: Schedule, kernels: Sequence[Lowered], dtype: str = "float64", name: str = "run") -> str:
    """A file with `void run(real *d0, ...)`: the schedule's arrays in order; the work array holds WORK numbers."""
    lines = [*_head(kernels, dtype), f"#define WORK {max(schedule.work, 1)}", ""]
    first = 0
    for number, kernel in enumerate(kernels):
        lines += _kernel(f"k{number}", kernel, dtype, first, static=True)
        first += len(kernel.pieces[0].tables)
    real = _real(dtype)
    written = written_arrays(schedule)
    formal = ", ".join(f"{'' if i in written else 'const '}{real} *d{i}" for i in range(len(schedule.arrays)))
    used = {array for run in schedule.runs for array in run.arrays}
    unused = [f"    (void)d{i};" for i in range(len(schedule.arrays)) if i not in used]
    lines += [*_tables(schedule), f"void {name}({formal})", "{", *unused]
    lines += (f"    {line}" for line in calls(schedule, "d{array} + {at}", "int"))
    return "\n".join([*lines, "}"]) + "\n"


def _tables(schedule: Schedule) -> Iterable[str]:
    for i, run in enumerate(schedule.runs):
        numbers = ", ".join(map(str, run.offsets.ravel().tolist()))
        yield f"static const int r{i}[] = {{{numbers or '0'}}};"


def _real(dtype: str) -> str:
    return "double" if dtype == "float64" else "float"


def _head(kernels: Sequence[Lowered], dtype: str) -> Iterable[str]:
    used = {statement.op for kernel in kernels for piece in kernel.pieces for statement in piece.statements}
    yield "/* Generated by anyjoint. C99. */"
    yield "#include <math.h>"
    yield ""
    if Code.SINCOS in used:
        yield sincos.source(sincos.C_TEXT) if dtype == "float64" else _SINCOS_SINGLE
    if Op.GATHER in used:
        yield _INDEX
    language = _language(dtype)
    for number, table in enumerate(table for kernel in kernels for table in kernel.pieces[0].tables):
        yield f"static const {_real(dtype)} g{number}[] = {{{', '.join(map(language.literal, table))}}};"


def _kernel(name: str, kernel: Lowered, dtype: str, first_table: int, static: bool) -> Iterable[str]:
    """A function, and before it the pieces that a long one is cut into."""
    language, several = _language(dtype), len(kernel.pieces) > 1
    for i, piece in enumerate(kernel.pieces):
        title = f"{name}_{i}" if several else name
        yield _signature(title, piece.arrays, _written(kernel), dtype, static or several)
        yield "{"
        used = {s.data[0] for s in piece.statements if s.op in (Code.LOAD, Code.STORE)}
        yield from (f"    (void)a{j};" for j in range(len(piece.arrays)) if j not in used)
        statements = in_columns(body(for_text(piece), language, first_table), kernel.columns, "int")
        yield from (f"    {line}" for line in statements)
        yield "}"
        yield ""
    if several:
        yield _signature(name, kernel.arrays, _written(kernel), dtype, static)
        yield "{"
        yield f"    {_real(dtype)} scratch[{max(kernel.scratch, 1)}];"
        actual = ", ".join([*(f"a{i}" for i in range(len(kernel.arrays))), "scratch"])
        yield from (f"    {name}_{i}({actual});" for i in range(len(kernel.pieces)))
        yield "}"
        yield ""


def _written(kernel: Lowered) -> set[int]:
    return {s.data[0] for piece in kernel.pieces for s in piece.statements if s.op == Code.STORE}


def _signature(name: str, arrays: Sequence[Array], written: set[int], dtype: str, static: bool) -> str:
    formal = ", ".join(f"{'' if i in written else 'const '}{_real(dtype)} *restrict a{i}" for i in range(len(arrays)))
    return f"{'static ' if static else ''}void {name}({formal or 'void'})"
