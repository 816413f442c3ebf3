"""LLVM text of the second part of a batch, which runs state by state: see apart.py.

Behind the lanes of the work array stands a work array for each state. In the program EACH is followed by the number of
windows, the length of a state's work array, and the windows; the runs of the second part follow.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from anyjoint.codegen.apart import WINDOW
from anyjoint.codegen.kernel import Array, lane_array
from anyjoint.codegen.target import Target
from anyjoint.codegen.transpose import transposed


def past_windows() -> Iterable[str]:
    """In code for one state: go on behind the windows."""
    yield "each:"
    yield from _read("count", 1)
    yield "  %words = add i64 %count, 3"
    yield "  %behind = getelementptr i32, ptr %at, i64 %words"
    yield "  br label %fetch"


def each_alone(arrays: Sequence[Array], target: Target) -> Iterable[str]:
    """Move what is left for the second part, and run it for each state of the tile."""
    work = lane_array(arrays)
    yield "each:"
    yield from _read("count", 1)
    yield from _read("row", 2)
    yield "  %windows = getelementptr i32, ptr %at, i64 3"
    yield "  %second = getelementptr i32, ptr %windows, i64 %count"
    yield f"  %lanes_end = mul i64 %row, {target.width}"
    yield f"  %apart = getelementptr {target.real}, ptr %d{work}, i64 %lanes_end"
    yield f"  call void @move_apart(ptr %d{work}, ptr %apart, i64 %row, ptr %windows, i64 %count)"
    yield "  %tile_rest = sub i64 %states, %state"
    yield f"  %few = icmp slt i64 %tile_rest, {target.width}"
    yield f"  %alone = select i1 %few, i64 %tile_rest, i64 {target.width}"
    yield "  br label %one"
    yield "one:"
    yield "  %lane = phi i64 [ 0, %each ], [ %next_lane, %one ]"
    actual = []
    for i, array in enumerate(arrays):
        if array.kind == "uniform":
            actual.append(f"ptr %d{i}")
            continue
        base, stride = ("%apart", "%row") if i == work else (f"%first{i}", f"%d{i}stride")
        yield f"  %far{i} = mul i64 %lane, {stride}"
        yield f"  %own{i} = getelementptr {target.real}, ptr {base}, i64 %far{i}"
        actual += [f"ptr %own{i}", *([f"i64 {stride}"] if array.kind == "row" else [])]
    yield f"  %ran = call i32 @run_alone({', '.join(actual)}, ptr %second, i64 1, ptr %looked)"
    yield "  %next_lane = add i64 %lane, 1"
    yield "  %others = icmp slt i64 %next_lane, %alone"
    yield "  br i1 %others, label %one, label %next"


def _read(name: str, place: int) -> Iterable[str]:
    """%name: a word behind EACH."""
    yield f"  %{name}_at = getelementptr i32, ptr %at, i64 {place}"
    yield f"  %{name}_word = load i32, ptr %{name}_at, align 4"
    yield f"  %{name} = zext i32 %{name}_word to i64"


def move_apart(target: Target) -> str:
    """Windows of the lanes, transposed, to the same places of each state's work array."""
    T, W, size = target.type, target.width, target.size
    lines = [
        "define internal void @move_apart(ptr noalias %lanes, ptr noalias %apart, i64 %row, ptr %windows, i64 %count)"
        " nounwind noinline alignstack(64) {",
        "entry:",
        "  br label %test",
        "test:",
        "  %i = phi i64 [ 0, %entry ], [ %next, %move ]",
        "  %more = icmp slt i64 %i, %count",
        "  br i1 %more, label %move, label %done",
        "move:",
        "  %window_at = getelementptr i32, ptr %windows, i64 %i",
        "  %window_word = load i32, ptr %window_at, align 4",
        "  %window = zext i32 %window_word to i64",
        f"  %from = getelementptr {T}, ptr %lanes, i64 %window",
        f"  %to0 = getelementptr {target.real}, ptr %apart, i64 %window",
    ]
    for k in range(WINDOW):
        lines.append(f"  %at{k} = getelementptr {T}, ptr %from, i64 {k}")
        lines.append(f"  %x{k} = load {T}, ptr %at{k}, align {size * W}")
    lines += [f"  {line}" for line in transposed("x", [f"%x{k}" for k in range(WINDOW)], target)]
    for lane in range(W):
        if lane:
            lines.append(f"  %to{lane} = getelementptr {target.real}, ptr %to{lane - 1}, i64 %row")
        lines.append(f"  store <{WINDOW} x {target.real}> %x_row{lane}, ptr %to{lane}, align {size}")
    return "\n".join([*lines, "  %next = add i64 %i, 1", "  br label %test", "done:", "  ret void", "}\n"])
