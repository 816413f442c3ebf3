"""A C99 package of a model: one source per quantity, a header for C and C++, CMake, pkg-config, a worked example.

Every function takes const inputs, places for its outputs, its numbers (NULL for those of the mechanism as it was
exported) and the caller's work array: no allocation, no global state, no large stack. It answers 0, or 1 if a result is
not finite: the state is singular, or an input is. Of models compiled with `vary=`, a `_numbers` function makes the
numbers of each quantity from a row of those parameters; any others are `model.program(name).numbers` after a change.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from anyjoint.codegen.c import static_source
from anyjoint.codegen.module import lowered
from anyjoint.model.number_map import number_kernel, settable
from anyjoint.quantity import Quantity, Row

from .offer import NOTHING, Beside, exported, is_product

if TYPE_CHECKING:
    from anyjoint.mechanism import Mechanism
    from anyjoint.model import Model
    from anyjoint.model.program import Program


def c_package(model: Model, prefix: str, beside: Beside = NOTHING) -> dict[str, str]:
    """Texts by file name."""
    programs = exported(model, beside)
    sources = {f"{prefix}_{name}.c": _source(model, f"{prefix}_{name}", prefix, program)
               for name, program in programs.items()}  # fmt: skip
    in_loops = [f"{prefix}_{name}.c" for name, program in programs.items() if len(program.trace.schedule.runs) > 1]
    return {
        f"{prefix}.h": _header(model, prefix, programs),
        **sources,
        "main.c": _example(model, prefix),
        "CMakeLists.txt": _cmake(prefix, list(sources), in_loops),
        f"{prefix}.pc.in": _pkg_config(prefix),
    }


# -- functions ------------------------------------------------------------------------------------------------


def _arguments(quantity: Quantity, mechanism: Mechanism) -> list[tuple[Row, str]]:
    """Rows with their names in C; an output that is called like an input gets a name of its own."""
    inputs = [(row, row.name) for row in quantity.given(mechanism)]
    taken = {name for _, name in inputs}
    return inputs + [(row, f"{row.name}_out" if row.name in taken else row.name) for row in quantity.outputs]


def _prototype(model: Model, function: str, program: Program, batch: bool = False) -> str:
    real, quantity = _real(program), program.quantity
    formal = ["size_t count"] if batch else []
    for k, (_, name) in enumerate(_arguments(quantity, model.mechanism)):
        formal.append(f"{'const ' if k < len(program.inputs) else ''}{real} *{name}")
    formal += [f"const {real} *numbers", f"{real} *work"]
    return f"int {function}{'_batch' if batch else ''}({', '.join(formal)})"


def _source(model: Model, function: str, prefix: str, program: Program) -> str:
    """The generated kernels and driver, then the two functions that call them."""
    quantity, real = program.quantity, _real(program)
    arguments = _arguments(quantity, model.mechanism)
    sizes = [row.size(model.mechanism) for row, _ in arguments]
    inputs, outputs = arguments[: len(program.inputs)], arguments[len(program.inputs) :]
    kernels = program.code.source("c").replace("\nvoid run(", "\nstatic void run(", 1)
    numbers = ", ".join(_literal(x, real) for x in program.numbers)
    total = sum(sizes[len(inputs) :])
    names = iter([name for _, name in inputs] + ["work"])  # the result row stands at the beginning of the work array
    places = {"lane": f"work + {total}", "uniform": "numbers"}
    actual = ", ".join(places.get(array.kind) or next(names) for array in program.trace.schedule.arrays)
    each = ", ".join(
        [f"{name} + i * {size}" for (_, name), size in zip(arguments, sizes, strict=True)] + ["numbers", "work"]
    )
    lines = [
        f'#include "{prefix}.h"',
        "#ifdef __cplusplus",
        "#define restrict __restrict",
        "#endif",
        kernels,
        f"static const {real} defaults[] = {{{numbers}}};",
        "",
        *(_numbers_source(model, function, program) if has_numbers(model, program) else ()),
        _prototype(model, function, program),
        "{",
        "    int bad = 0;",
        "    if (numbers == NULL) numbers = defaults;",
        f"    run({actual});",
        f"    for (int i = 0; i < {total}; i++) bad |= !isfinite(work[i]);",
    ]
    at = 0
    for (_, name), size in zip(outputs, sizes[len(inputs) :], strict=True):
        lines.append(f"    for (int i = 0; i < {size}; i++) {name}[i] = work[{at} + i];")
        at += size
    lines += ["    return bad;", "}", "", _prototype(model, function, program, True), "{"]
    lines += ["    int bad = 0;", f"    for (size_t i = 0; i < count; i++) bad |= {function}({each});"]
    return "\n".join([*lines, "    return bad;", "}", ""])


def has_numbers(model: Model, program: Program) -> bool:
    """Whether numbers of a program can be made of parameters that vary."""
    return bool(settable(model.mechanism, model.vary)) and not is_product(program)


def _numbers_prototype(function: str, real: str) -> str:
    return f"int {function}_numbers(const {real} *parameters, {real} *numbers)"


def _numbers_source(model: Model, function: str, program: Program) -> list[str]:
    """The function that makes a program's numbers of parameters."""
    trace, real = program.trace, _real(program)
    workshop = model.workshop.pushed(trace.pushes, trace.loose)
    kernel = number_kernel(workshop, trace, settable(model.mechanism, model.vary))
    count = len(program.numbers)
    return [
        static_source(lowered(kernel), program.dtype.name, "set_numbers"),
        _numbers_prototype(function, real),
        "{",
        "    int bad = 0;",
        f"    for (int i = 0; i < {count}; i++) numbers[i] = defaults[i];",
        "    if (parameters != NULL) set_numbers(parameters, numbers);",
        f"    for (int i = 0; i < {count}; i++) bad |= !isfinite(numbers[i]);",
        "    return bad;",
        "}",
        "",
    ]


def _numbers_header(model: Model, function: str, program: Program) -> list[str]:
    if not has_numbers(model, program):
        return []
    size = f"enum {{ {function.upper()}_NUMBERS = {len(program.numbers)} }};"
    return [size, _numbers_prototype(function, _real(program)) + ";"]


def _parameters(model: Model, prefix: str) -> list[str]:
    """Lines of the header on parameters that vary: where each begins in a row of them."""
    found, upper = settable(model.mechanism, model.vary), prefix.upper()
    if not found:
        return []
    lines = ["/* Where each parameter begins in the row that _numbers functions take. */", "enum {"]
    at, taken = 0, set()
    for name, values in found.items():
        own = "_".join(re.findall("[A-Z0-9]+", name.upper()))
        while own in taken:
            own += "_"
        taken.add(own)
        shown = ", ".join(repr(float(x)) for x in values)
        lines.append(f"    {upper}_P_{own} = {at}, /* {len(values)}: {shown} */")
        at += len(values)
    return [*lines, f"    {upper}_PARAMETERS = {at}", "};", ""]


def _real(program: Program) -> str:
    return "double" if program.dtype.itemsize == 8 else "float"


def _literal(x: Any, real: str) -> str:
    return repr(float(x)) + ("f" if real == "float" else "")


# -- files around them ----------------------------------------------------------------------------------------


def _header(model: Model, prefix: str, programs: dict[str, Program]) -> str:
    upper = prefix.upper()
    work = max(p.trace.schedule.work + p.size for p in programs.values()) + 1
    lines = [
        "/* Generated by anyjoint. C99 or C++; link with -lm.",
        "   Vectors are rows of numbers, matrices row by row; twists and wrenches have the angular part first.",
        "   numbers: NULL for the mechanism as it was exported. work: WORK numbers of the caller's, one per thread.",
        "   Each function answers 0, or 1 if a result is not finite. The _batch functions take count rows. */",
        f"#ifndef {upper}_H",
        f"#define {upper}_H",
        "#include <stddef.h>",
        "#ifdef __cplusplus",
        'extern "C" {',
        "#endif",
        "",
        f"enum {{ {upper}_NQ = {model.nq}, {upper}_NV = {model.nv}, {upper}_NB = {model.nb}, {upper}_WORK = {work} }};",
        "",
        *_parameters(model, prefix),
    ]
    for name, program in programs.items():
        arguments = _arguments(program.quantity, model.mechanism)
        rows = [f"{name} [{row.size(model.mechanism)}]: {row.meaning}" for row, name in arguments]
        lines += [
            f"/* {program.quantity.purpose} {program.op_count().total} operations.",
            *(f"   {row}{' */' if k == len(rows) - 1 else ''}" for k, row in enumerate(rows)),
            _prototype(model, f"{prefix}_{name}", program) + ";",
            _prototype(model, f"{prefix}_{name}", program, True) + ";",
            *_numbers_header(model, f"{prefix}_{name}", program),
            "",
        ]
    return "\n".join([*lines, "#ifdef __cplusplus", "}", "#endif", "#endif", ""])


def _example(model: Model, prefix: str) -> str:
    upper = prefix.upper()
    real = "double" if model.dtype.itemsize == 8 else "float"
    start = model.mechanism.start[0] if model.mechanism.start else model.mechanism.neutral
    q = ", ".join(_literal(x, real) for x in start) or "0"
    falls = model.is_regular and not model.numeric
    quantity, call, shown = ("forward_dynamics", "q, v, tau, a", "a") if falls else ("bias_forces", "q, v, tau", "tau")
    what = "what the mechanism does when it is let go" if falls else "the forces that hold the mechanism"
    return f"""\
/* A worked example: {what}. */
#include <stdio.h>
#include "{prefix}.h"

int main(void)
{{
    static {real} work[{upper}_WORK];
    const {real} q[{upper}_NQ + 1] = {{{q}}}, v[{upper}_NV + 1] = {{0}};
    {real} tau[{upper}_NV + 1] = {{0}}, a[{upper}_NV + 1] = {{0}}, kinetic, potential;
    int bad = {prefix}_{quantity}({call}, NULL, work);
    bad |= {prefix}_energy(q, v, &kinetic, &potential, NULL, work);
    for (int i = 0; i < {upper}_NV; i++) printf("%d: %.17g\\n", i, (double){shown}[i]);
    printf("energy: %.17g\\n", (double)(kinetic + potential));
    (void)tau;
    (void)a;
    return bad;
}}
"""


def _cmake(prefix: str, sources: list[str], in_loops: list[str]) -> str:
    """`in_loops` are the sources whose kernels are called for one body after the other."""
    return f"""\
cmake_minimum_required(VERSION 3.10)
project({prefix} C)
include(GNUInstallDirs)
add_library({prefix} {" ".join(sources)})
set_target_properties({prefix} PROPERTIES C_STANDARD 99 POSITION_INDEPENDENT_CODE ON)
target_include_directories({prefix} PUBLIC
  $<BUILD_INTERFACE:${{CMAKE_CURRENT_SOURCE_DIR}}> $<INSTALL_INTERFACE:include>)
if(UNIX)
  target_link_libraries({prefix} PUBLIC m)
endif()
if(CMAKE_C_COMPILER_ID MATCHES "GNU|Clang")
  target_compile_options({prefix} PRIVATE -ffp-contract=fast) # a fifth faster, and rounds less
endif()
{_unpacked(in_loops)}\
add_executable({prefix}_example main.c)
target_link_libraries({prefix}_example {prefix})
configure_file({prefix}.pc.in {prefix}.pc @ONLY)
install(TARGETS {prefix} ARCHIVE DESTINATION ${{CMAKE_INSTALL_LIBDIR}} LIBRARY DESTINATION ${{CMAKE_INSTALL_LIBDIR}})
install(FILES {prefix}.h DESTINATION ${{CMAKE_INSTALL_INCLUDEDIR}})
install(FILES ${{CMAKE_CURRENT_BINARY_DIR}}/{prefix}.pc DESTINATION ${{CMAKE_INSTALL_LIBDIR}}/pkgconfig)
"""


def _unpacked(sources: list[str]) -> str:
    """What CMake is told about sources of which gcc would pack single numbers into vectors, slower than they are."""
    if not sources:
        return ""
    option = "PROPERTIES COMPILE_OPTIONS -fno-tree-slp-vectorize"
    return f"""\
if(CMAKE_C_COMPILER_ID STREQUAL "GNU") # packing single numbers costs more than it saves where kernels run in loops
  set_source_files_properties({" ".join(sources)} {option})
endif()
"""


def _pkg_config(prefix: str) -> str:
    return f"""\
prefix=@CMAKE_INSTALL_PREFIX@
Name: {prefix}
Description: equations of motion, generated by anyjoint
Version: 1
Libs: -L${{prefix}}/@CMAKE_INSTALL_LIBDIR@ -l{prefix} -lm
Cflags: -I${{prefix}}/@CMAKE_INSTALL_INCLUDEDIR@
"""
