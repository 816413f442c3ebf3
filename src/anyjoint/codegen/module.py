"""Whole LLVM modules: a function of arrays, or a driver that runs a schedule over tiles of states."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from anyjoint.codegen.apart import WHOLE, Parts
from anyjoint.codegen.apart_llvm import each_alone, move_apart, past_windows
from anyjoint.codegen.bound_llvm import bound_call, entry_parameters, row_call
from anyjoint.codegen.finite_llvm import finite_text
from anyjoint.codegen.grouped import pays, shares
from anyjoint.codegen.ir import LEAVES, LONG, Listing
from anyjoint.codegen.jit import Module
from anyjoint.codegen.kernel import AGAIN, EACH, Array, Kernel, lane_array
from anyjoint.codegen.llvm import function, looked_at, parameters, prelude, vector_attribute
from anyjoint.codegen.passes import in_pieces, of_columns
from anyjoint.codegen.target import Target
from anyjoint.frozen import frozen


@frozen
class Lowered:
    """A kernel ready for printing: pieces to run in order, which share `scratch` values, for so many columns.

    One that is `seldom` called need not be fast: LLVM may make it in a tenth of the time.
    """

    arrays: tuple[Array, ...]
    pieces: tuple[Listing, ...]
    scratch: int
    columns: int = 1
    seldom: bool = False

    @property
    def is_long(self) -> bool:
        """Whether this is straight-line code, where inlining and the middle end only do harm."""
        return sum(statement.op not in LEAVES for piece in self.pieces for statement in piece.statements) > LONG


def lowered(kernel: Kernel, name: str = "kernel") -> Lowered:
    """A kernel after the passes that every language wants."""
    if kernel.columns == 1:  # where all arrays are alike
        kernel = replace(kernel, arrays=tuple(replace(array, wide=False, step=1) for array in kernel.arrays))
    pieces, scratch = in_pieces(kernel, name)
    return Lowered(kernel.arrays, pieces, scratch, kernel.columns)


def function_module(kernel: Lowered, target: Target) -> Module:
    """A module with `void f(real *a0, real *a1, ...)`, one pointer for each array.

    The middle end would double the time to compile straight-line code and does not make it faster.
    """
    body = _kernels({0: kernel}, target, optimise=False)
    count = len(kernel.arrays)
    formal = ", ".join(f"ptr noalias %a{i}" for i in range(count))
    entry = f"define void @f({formal}) nounwind {{\n  call void @k0({formal.replace(' noalias', '')})\n  ret void\n}}\n"
    return Module(body + entry, optimise=False)


def schedule_module(
    kernels: Sequence[Lowered], arrays: Sequence[Array], target: Target, optimise: bool = True,
    parts: Parts = WHOLE,
) -> Module:  # fmt: skip
    """A module with `void run(arrays and strides ..., const int32_t *program, int64_t states)`.

    The program (which kernel, how often, at which offsets) is data, so mechanisms of any size share the object code,
    but for kernels that large ones call seldom. The second of two parts runs state by state.
    """
    optimise = optimise and not any(kernel.is_long for kernel in kernels)
    first, columns, text = dict(enumerate(kernels)), 1, []
    if parts.alone and target.width > 1:
        first, second = ({k: kernels[k] for k in sorted(part)} for part in parts)
        columns, alone = max(kernel.columns for kernel in second.values()), replace(target, width=1, alone=True)
        text += [_kernels(second, alone, optimise), *_driver(second, arrays, alone), move_apart(target)]
    text += [_kernels(first, target, optimise), *_driver(first, arrays, target, bool(parts.alone), columns)]
    text += [bound_call(arrays), row_call(arrays, target), finite_text(target), FETCH_AHEAD]
    return Module("\n".join(text) + "\n", optimise)


# Rows of the next tile, asked for while this one is computed: lanes walk through as many rows at once, which is more
# than the processor foresees by itself; no more than half of the nearest cache, so that what is computed stays there.
FETCH_AHEAD = """\
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)
define internal void @fetch_ahead(ptr %from, i64 %bytes) nounwind noinline {
entry:
  %long = icmp sgt i64 %bytes, 16384
  %end = select i1 %long, i64 16384, i64 %bytes
  br label %test
test:
  %at = phi i64 [ 0, %entry ], [ %next, %line ]
  %more = icmp slt i64 %at, %end
  br i1 %more, label %line, label %done
line:
  %place = getelementptr i8, ptr %from, i64 %at
  call void @llvm.prefetch.p0(ptr %place, i32 0, i32 2, i32 1)
  %next = add i64 %at, 64
  br label %test
done:
  ret void
}
"""


def _kernels(kernels: Mapping[int, Lowered], target: Target, optimise: bool) -> str:
    made = kernels.values()
    used = {statement.op for kernel in made for piece in kernel.pieces for statement in piece.statements}
    tables = [table for kernel in made for table in kernel.pieces[0].tables]
    texts = [prelude(used, tables, target, optimise)]
    first_table = 0
    for number, kernel in kernels.items():
        texts += _kernel(number, kernel, target, first_table, optimise)
        first_table += len(kernel.pieces[0].tables)
    return "\n".join(texts)


def _name(number: int, target: Target) -> str:
    return f"k{number}_alone" if target.alone else f"k{number}"


def _kernel(number: int, kernel: Lowered, target: Target, first_table: int, inline: bool) -> Iterable[str]:
    """The function of a kernel; a long one calls its pieces, which pass values through an array on the stack."""
    name = _name(number, target)
    if len(kernel.pieces) == 1:
        attributes = "alwaysinline" if inline else "noinline"
        if kernel.seldom:
            attributes = "noinline optnone"
        if kernel.columns == 1 or target.width == 1:
            yield function(name, kernel.pieces[0], target, first_table, attributes, kernel.columns)
            return
        taken = list(shares(kernel.columns)) if pays(kernel.pieces[0]) else [(0, 1, kernel.columns)]
        for _, size, _ in taken:
            piece = of_columns(kernel.pieces[0], size)
            yield function(f"{name}_{size}", piece, target, first_table, attributes)
        yield _columns(number, kernel, target, taken)
        return
    for i, piece in enumerate(kernel.pieces):
        yield function(f"{name}_{i}", piece, target, first_table, "noinline")
    formal = _formal(kernel.arrays, target)
    given = [text.replace(" noalias", "") for i, x in enumerate(kernel.arrays) for text in parameters(i, x, target)]
    actual = ", ".join([*given, "ptr %scratch", *looked_at(target)])
    calls = "\n".join(f"  call void @{name}_{i}({actual})" for i in range(len(kernel.pieces)))
    yield (
        f"define internal void @{name}({', '.join(formal)}) nounwind noinline{vector_attribute(target)} {{\n"
        f"  %scratch = alloca [{max(kernel.scratch, 1)} x {target.type}], align 64\n{calls}\n  ret void\n}}\n"
    )


def _formal(arrays: Sequence[Array], target: Target) -> list[str]:
    """All parameters of a kernel."""
    return [text for i, array in enumerate(arrays) for text in parameters(i, array, target)] + looked_at(target)


def _columns(number: int, kernel: Lowered, target: Target, taken: Sequence[tuple[int, int, int]]) -> str:
    """Loops over the columns of a kernel, where lanes are states: from a first one on, some at a time, so often."""
    formal = _formal(kernel.arrays, target)
    lines = [
        f"define internal void @k{number}({', '.join(formal)}) nounwind noinline{vector_attribute(target)} {{",
        "entry:",
        f"  br label %loop{taken[0][1]}",
    ]
    before = "%entry"
    for k, (first, size, count) in enumerate(taken):
        after = f"%loop{taken[k + 1][1]}" if k + 1 < len(taken) else "%done"
        actual = []
        lines += [f"loop{size}:", f"  %column{size} = phi i64 [ {first}, {before} ], [ %next{size}, %loop{size} ]"]
        for i, array in enumerate(kernel.arrays):
            distances = list(parameters(i, array, target))[1:]
            actual += [f"ptr %w{i}_{size}" if array.wide else f"ptr %a{i}", *distances]
            if array.wide:
                element = target.type if array.kind == "lane" else target.real
                lines.append(f"  %m{i}_{size} = mul i64 %column{size}, {array.step}")
                lines.append(f"  %w{i}_{size} = getelementptr {element}, ptr %a{i}, i64 %m{i}_{size}")
        lines += [
            f"  call void @k{number}_{size}({', '.join([*actual, *looked_at(target)])})",
            f"  %next{size} = add i64 %column{size}, {size}",
            f"  %more{size} = icmp slt i64 %next{size}, {first + size * count}",
            f"  br i1 %more{size}, label %loop{size}, label {after}",
        ]
        before = f"%loop{size}"
    return "\n".join([*lines, "done:", "  ret void", "}\n"])


def _driver(
    kernels: Mapping[int, Lowered], arrays: Sequence[Array], target: Target, apart: bool = False, columns: int = 1
) -> Iterable[str]:
    """Loop over tiles; inside it, loop over the program's runs; inside that, loop over a run's bodies.

    `apart`: there is a second part, of at most so many columns.
    """
    rows = [i for i, array in enumerate(arrays) if array.kind == "row"]
    width = target.width
    yield from _begin(arrays, target, columns)
    yield f"  %bases = alloca [{max(len(arrays), 1)} x ptr], align 16"
    yield f"  %lanes = alloca [{max(len(arrays) * width, 1)} x i64], align 16"
    for i in range(len(arrays)):
        yield f"  %base{i} = getelementptr ptr, ptr %bases, i64 {i}"
        yield f"  store ptr %d{i}, ptr %base{i}"
    yield "  br label %tile"
    yield "tile:"
    yield "  %state = phi i64 [ 0, %entry ], [ %next_state, %next ]"
    yield "  %more = icmp slt i64 %state, %states"
    yield "  br i1 %more, label %prepare, label %exit"
    yield "prepare:"
    for i in rows:
        yield f"  %skip{i} = mul i64 %state, %d{i}stride"
        yield f"  %first{i} = getelementptr {target.real}, ptr %d{i}, i64 %skip{i}"
        yield f"  store ptr %first{i}, ptr %base{i}"
    yield from _lane_distances(rows, width)
    for i in rows if width > 1 else ():
        yield f"  %span{i} = mul i64 %d{i}stride, {width}"
        yield f"  %ahead{i} = getelementptr {target.real}, ptr %first{i}, i64 %span{i}"
        yield f"  %bytes{i} = mul i64 %span{i}, {target.size}"
        yield f"  call void @fetch_ahead(ptr %ahead{i}, i64 %bytes{i})"
    yield "  br label %fetch"
    yield "fetch:"
    sources = "".join(f", [ %after{k}, %loop{k} ]" for k in kernels)
    work = lane_array(arrays)
    repeated = ", [ %going, %again ]" if work >= 0 else ""
    passed = ", [ %behind, %each ]" if apart and width == 1 else ""
    yield f"  %at = phi ptr [ %program, %prepare ]{sources}{repeated}{passed}"
    yield "  %kernel = load i32, ptr %at, align 4"
    cases = " ".join(f"i32 {k}, label %case{k}" for k in kernels)
    back = f" i32 {AGAIN}, label %again" if work >= 0 else ""
    onward = f" i32 {EACH}, label %each" if apart else ""
    yield f"  switch i32 %kernel, label %next [ {cases}{back}{onward} ]"
    if work >= 0:
        yield from _again(work, target)
    if apart:
        yield from each_alone(arrays, target) if width > 1 else past_windows()
    for k, kernel in kernels.items():
        yield from _case(k, kernel.arrays, arrays, target)
    yield "next:"
    yield f"  %next_state = add i64 %state, {width}"
    yield "  br label %tile"
    yield "exit:"
    yield from _end(target, columns)


def _begin(arrays: Sequence[Array], target: Target, columns: int) -> Iterable[str]:
    """The head of a driver. Where lanes are states, it answers whether all that went to rows was finite."""
    formal = ", ".join(entry_parameters(arrays))
    if target.alone:
        yield f"define internal i32 @run_alone({formal}, ptr %looked) nounwind noinline alignstack(64) {{"
        yield "entry:"
        return
    yield f"define void @run({formal}) nounwind {{\n  %fine = call i32 @run_looking({formal})\n  ret void\n}}"
    yield f"define internal i32 @run_looking({formal}) nounwind{vector_attribute(target)} {{"
    yield "entry:"
    room = target.type if columns <= target.width else f"[{columns} x {target.real}]"
    yield f"  %looked = alloca {room}, align 64"
    yield f"  store {room} zeroinitializer, ptr %looked, align 64"


def _end(target: Target, columns: int) -> Iterable[str]:
    """The end of a driver."""
    width = target.width
    if target.alone:
        yield "  ret i32 1\n}"
        return
    if columns > width:
        yield f"  %answer = call i32 @finite(ptr %looked, i64 {columns})"
    else:
        yield f"  %zeros = load {target.type}, ptr %looked, align 64"
        yield f"  %good = fcmp ord {target.type} %zeros, zeroinitializer"
        if width > 1:
            yield f"  %goods = bitcast <{width} x i1> %good to i{width}"
            yield f"  %all = icmp eq i{width} %goods, -1"
        yield f"  %answer = zext i1 {'%all' if width > 1 else '%good'} to i32"
    yield "  ret i32 %answer"
    yield "}"


def _again(work: int, target: Target) -> Iterable[str]:
    """Go back by so many words if an entry of the work array is positive in any lane, else go on."""
    width = target.width
    yield "again:"
    yield "  %flag_at = getelementptr i32, ptr %at, i64 1"
    yield "  %flag_offset = load i32, ptr %flag_at, align 4"
    yield f"  %flag_place = getelementptr {target.type}, ptr %d{work}, i32 %flag_offset"
    yield f"  %flag = load {target.type}, ptr %flag_place, align {target.size}"
    yield f"  %waiting = fcmp ogt {target.type} %flag, zeroinitializer"
    if width > 1:
        yield f"  %bits = bitcast <{width} x i1> %waiting to i{width}"
        yield f"  %any = icmp ne i{width} %bits, 0"
    yield "  %back_at = getelementptr i32, ptr %at, i64 2"
    yield "  %back = load i32, ptr %back_at, align 4"
    yield "  %way = sub i32 0, %back"
    yield f"  %far = select i1 {'%any' if width > 1 else '%waiting'}, i32 %way, i32 3"
    yield "  %going = getelementptr i32, ptr %at, i32 %far"
    yield "  br label %fetch"


def _lane_distances(rows: Sequence[int], width: int) -> Iterable[str]:
    """How far lane l's row is from the first; lanes beyond the last state repeat it, so every state is computed alike.

    They load, compute and store the same numbers as the last state's own lane, which does no harm.
    """
    if width == 1 or not rows:
        return
    yield "  %left = sub i64 %states, %state"
    yield "  %last = sub i64 %left, 1"
    for lane in range(1, width):
        yield f"  %inside{lane} = icmp slt i64 {lane}, %last"
        yield f"  %lane{lane} = select i1 %inside{lane}, i64 {lane}, i64 %last"
        for i in rows:
            yield f"  %distance{i}_{lane} = mul i64 %lane{lane}, %d{i}stride"
            yield f"  %place{i}_{lane} = getelementptr i64, ptr %lanes, i64 {i * width + lane}"
            yield f"  store i64 %distance{i}_{lane}, ptr %place{i}_{lane}"


def _case(k: int, arguments: Sequence[Array], arrays: Sequence[Array], target: Target) -> Iterable[str]:
    """One run: header (kernel, count, base array of each argument), then the offsets of body after body.

    Most arguments are in the only array of their kind, which need not be looked up.
    """
    width, count = target.width, len(arguments)
    kinds = [array.kind for array in arrays]
    only = {kind: f"%d{kinds.index(kind)}" for kind in ("lane", "uniform") if kinds.count(kind) == 1}
    yield f"case{k}:"
    yield f"  %c{k}n_at = getelementptr i32, ptr %at, i64 1"
    yield f"  %c{k}n = load i32, ptr %c{k}n_at, align 4"
    for j, array in enumerate(arguments):
        if array.kind in only:
            continue
        yield f"  %c{k}b{j}_at = getelementptr i32, ptr %at, i64 {2 + j}"
        yield f"  %c{k}b{j}_index = load i32, ptr %c{k}b{j}_at, align 4"
        yield f"  %c{k}b{j}_base = getelementptr ptr, ptr %bases, i32 %c{k}b{j}_index"
        yield f"  %c{k}b{j} = load ptr, ptr %c{k}b{j}_base"
        if array.kind == "row" and width > 1:
            yield f"  %c{k}l{j}_index = mul i32 %c{k}b{j}_index, {width}"
            for lane in range(1, width):
                yield f"  %c{k}l{j}_{lane}_index = add i32 %c{k}l{j}_index, {lane}"
                yield f"  %c{k}l{j}_{lane}_at = getelementptr i64, ptr %lanes, i32 %c{k}l{j}_{lane}_index"
                yield f"  %c{k}l{j}_{lane} = load i64, ptr %c{k}l{j}_{lane}_at"
    yield f"  %begin{k} = getelementptr i32, ptr %at, i64 {2 + count}"
    yield f"  br label %loop{k}"
    yield f"loop{k}:"
    yield f"  %left{k} = phi i32 [ %c{k}n, %case{k} ], [ %fewer{k}, %loop{k} ]"
    yield f"  %offsets{k} = phi ptr [ %begin{k}, %case{k} ], [ %after{k}, %loop{k} ]"
    actual = []
    for j, array in enumerate(arguments):
        yield f"  %o{k}_{j}_at = getelementptr i32, ptr %offsets{k}, i64 {j}"
        yield f"  %o{k}_{j} = load i32, ptr %o{k}_{j}_at, align 4"
        element = target.type if array.kind == "lane" else target.real
        yield f"  %x{k}_{j} = getelementptr {element}, ptr {only.get(array.kind, f'%c{k}b{j}')}, i32 %o{k}_{j}"
        actual.append(f"ptr %x{k}_{j}")
        if array.kind == "row":
            actual += [f"i64 %c{k}l{j}_{lane}" for lane in range(1, width)]
    yield f"  call void @{_name(k, target)}({', '.join([*actual, *looked_at(target)])})"
    yield f"  %after{k} = getelementptr i32, ptr %offsets{k}, i64 {count}"
    yield f"  %fewer{k} = sub i32 %left{k}, 1"
    yield f"  %again{k} = icmp sgt i32 %fewer{k}, 0"
    yield f"  br i1 %again{k}, label %loop{k}, label %fetch"
