"""Vectors in LLVM's words: of values one after the other, and transposed in registers, so that vectors of lanes become
vectors of values, one for each lane.

Each step joins two vectors of whole width, as processors like it, so that two values take 1 shuffle a lane, four 2 and
eight 3. What is done to lanes beyond the last one is never read.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from anyjoint.codegen.target import Target


def joined(name: str, values: Sequence[str], vector: str, element: str) -> Iterable[str]:
    """Define %name as a vector of values; `vector` and `element` are types."""
    before = "poison"
    for lane, value in enumerate(values):
        after = f"%{name}" if lane == len(values) - 1 else f"%{name}v{lane}"
        yield f"{after} = insertelement {vector} {before}, {element} {value}, i64 {lane}"
        before = after


def transposed(name: str, values: Sequence[str], target: Target) -> Iterable[str]:
    """Define %name_row<lane>, of each of 2, 4 or 8 values what a lane has, for all lanes."""
    lanes = target.width + -target.width % 4
    for part in range(len(values) // 2):
        yield from _pairs(f"{name}p{part}", values[2 * part], values[2 * part + 1], target, lanes)
    if len(values) == 2:
        for lane in range(target.width):
            yield _row(name, lane, f"p0{lane % 2}", lanes, lane - lane % 2, 2, target)
    elif len(values) == 4:
        yield from _fours(name, target, lanes)
    else:
        yield from _eights(name, target, lanes)


def _pairs(name: str, x: str, y: str, target: Target, lanes: int) -> Iterable[str]:
    """%name0 and %name1: both values of lanes 0, 2, 4, ... and of lanes 1, 3, 5, ..."""
    for odd in (0, 1):
        taken = [min(lane, target.width - 1) for lane in range(odd, lanes, 2)]
        places = [place for lane in taken for place in (lane, target.width + lane)]
        yield _shuffle(f"{name}{odd}", target.width, x, y, places, target)


def _fours(name: str, target: Target, lanes: int) -> Iterable[str]:
    """Rows of four values, by way of four values of each fourth lane."""
    for first in range(4):
        x, y = (f"%{name}p{part}{first % 2}" for part in (0, 1))
        begins = range(first - first % 2, lanes, 4)
        places = [place for k in begins for place in (k, k + 1, lanes + k, lanes + k + 1)]
        yield _shuffle(f"{name}f{first}", lanes, x, y, places, target)
    for lane in range(target.width):
        yield _row(name, lane, f"f{lane % 4}", lanes, lane - lane % 4, 4, target)


def _eights(name: str, target: Target, lanes: int) -> Iterable[str]:
    """Rows of eight values, by way of four values of every other one of four lanes beside each other."""
    for half in (0, 1):
        for odd in (0, 1):
            x, y = (f"%{name}p{part}{odd}" for part in (2 * half, 2 * half + 1))
            for k in range(0, lanes, 4):
                places = [*range(k, k + 4), *range(lanes + k, lanes + k + 4)]
                yield _shuffle(f"{name}h{half}{odd}{k}", lanes, x, y, places, target)
    for lane in range(target.width):
        x, y = (f"%{name}h{half}{lane % 2}{lane - lane % 4}" for half in (0, 1))
        first = lane % 4 - lane % 2
        places = [place for k in range(first, 16, 4) for place in (k, k + 1)]
        yield _shuffle(f"{name}_row{lane}", 8, x, y, places, target)


def _row(name: str, lane: int, source: str, size: int, begin: int, count: int, target: Target) -> str:
    return _shuffle(f"{name}_row{lane}", size, f"%{name}{source}", "poison", range(begin, begin + count), target)


def _shuffle(result: str, size: int, x: str, y: str, places: Sequence[int], target: Target) -> str:
    """%result: numbers of two vectors, by their places in both."""
    mask = ", ".join(f"i32 {place}" for place in places)
    T = f"<{size} x {target.real}>"
    return f"%{result} = shufflevector {T} {x}, {T} {y}, <{len(places)} x i32> <{mask}>"
