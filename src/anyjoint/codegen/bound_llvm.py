"""LLVM text of calls with all parameters in memory, which costs a caller least; they say whether numbers are finite."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from anyjoint.codegen.kernel import Array
from anyjoint.codegen.target import Target

NEAR = 128 << 10  # bytes of rows that are looked at while they are still in a near cache


def entry_parameters(
    arrays: Sequence[Array], named: Mapping[int, str] | None = None, states: str = "%states"
) -> list[str]:
    """Parameters of the driver: each array's pointer, each row array's stride in numbers, the program, the states.

    Some of the pointers may be `named` otherwise, by the numbers of the arrays.
    """
    formal: list[str] = []
    for i, array in enumerate(arrays):
        formal.append(f"ptr {named[i] if named and i in named else f'%d{i}'}")
        if array.kind == "row":
            formal.append(f"i64 %d{i}stride")
    return [*formal, "ptr %program", f"i64 {states}"]


def bound_call(arrays: Sequence[Array]) -> str:
    """`int32_t call(const int64_t *words)`: run.

    Behind the parameters stand an address and a count: the answer is whether so many numbers there are finite.
    """
    formal = entry_parameters(arrays)
    lines = [
        "define i32 @call(ptr %words) nounwind {",
        *_unpacked([*formal, "ptr %checked", "i64 %count"]),
        f"  call void @run({', '.join(formal)})",
        "  %answer = call i32 @finite(ptr %checked, i64 %count)",
        "  ret i32 %answer",
        "}",
    ]
    return "\n".join(lines)


def row_call(arrays: Sequence[Array], target: Target) -> str:
    """`int32_t call_rows(const int64_t *words)`: run on rows that stand behind each other; whether all are finite.

    Some tiles at a time, so that rows are looked at while they are near.
    """
    formal, rows = entry_parameters(arrays), [i for i, array in enumerate(arrays) if array.kind == "row"]
    lines = ["define i32 @call_rows(ptr %words) nounwind {", *_unpacked(formal)]
    total = "1"
    for i in rows:
        lines.append(f"  %total{i} = add i64 {total}, %d{i}stride")
        total = f"%total{i}"
    lines += [
        f"  %tile = mul i64 {total}, {target.size * target.width}",
        f"  %tiles = sdiv i64 {NEAR}, %tile",
        f"  %some = mul i64 %tiles, {target.width}",
        "  %none = icmp eq i64 %some, 0",
        f"  %most = select i1 %none, i64 {target.width}, i64 %some",
        "  br label %next",
        "next:",
        "  %begin = phi i64 [ 0, %entry ], [ %end, %part ]",
        "  %fine = phi i32 [ 1, %entry ], [ %all, %part ]",
        "  %more = icmp slt i64 %begin, %states",
        "  br i1 %more, label %part, label %done",
        "part:",
        "  %left = sub i64 %states, %begin",
        "  %last = icmp slt i64 %left, %most",
        "  %count = select i1 %last, i64 %left, i64 %most",
        "  %end = add i64 %begin, %count",
    ]
    for i in rows:
        lines += [
            f"  %skip{i} = mul i64 %begin, %d{i}stride",
            f"  %at{i} = getelementptr {target.real}, ptr %d{i}, i64 %skip{i}",
            f"  %size{i} = mul i64 %count, %d{i}stride",
        ]
    actual = entry_parameters(arrays, {i: f"%at{i}" for i in rows}, "%count")
    lines.append(f"  %ran = call i32 @run_looking({', '.join(actual)})")
    lines.append("  %sound = and i32 %fine, %ran")
    answer = "%sound"
    for i in rows if target.width == 1 else rows[:-1]:  # where lanes are states, results were looked at on their way
        lines += [
            f"  %fine{i} = call i32 @finite(ptr %at{i}, i64 %size{i})",
            f"  %all{i} = and i32 {answer}, %fine{i}",
        ]
        answer = f"%all{i}"
    lines += [f"  %all = and i32 {answer}, 1", "  br label %next", "done:", "  ret i32 %fine", "}"]
    return "\n".join(lines)


def _unpacked(formal: Sequence[str]) -> Iterable[str]:
    """Parameters loaded from the words that stand for them."""
    yield "entry:"
    for k, text in enumerate(formal):
        kind, name = text.split()
        yield f"  %word{k} = getelementptr i64, ptr %words, i64 {k}"
        yield f"  {name} = load {kind}, ptr %word{k}, align 8"
