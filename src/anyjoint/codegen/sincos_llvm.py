"""LLVM text of sine and cosine together, for any number of lanes and both precisions."""

from __future__ import annotations

import itertools
from dataclasses import replace

from anyjoint.codegen import sincos as numbers
from anyjoint.codegen.target import Target
from anyjoint.codegen.transpose import joined

_BRANCH_WEIGHTS = '!0 = !{!"branch_weights", i32 1, i32 2000}'


def helpers(target: Target, inline: bool, name: str = "sincos") -> str:
    """Definition of @sincos: x, y -> {sine, cosine} of x + y, with everything that it calls except the C library."""
    attributes = "alwaysinline" if inline else "noinline"
    if not inline and target.width > 1:
        attributes += " alignstack(64)"
    if precision(target) != target:
        return _through_double(target, attributes, name)
    body = _fma_body(target) if target.fma else _plain_body(target)
    return _wrapped(target, name, body, attributes)


def precision(target: Target) -> Target:
    """What the algorithm runs in: single precision without fma is reduced in double, where that is exact."""
    return target if target.dtype == "float64" or target.fma else replace(target, dtype="float64")


def _through_double(target: Target, attributes: str, name: str) -> str:
    double = precision(target)
    T, D = target.type, double.type
    return (
        _wrapped(double, f"{name}_double", _plain_body(double), attributes)
        + f"""
define internal {{{T}, {T}}} @{name}({T} %x, {T} %y) nounwind {attributes} {{
  %dx = fpext {T} %x to {D}
  %dy = fpext {T} %y to {D}
  %p = call {{{D}, {D}}} @{name}_double({D} %dx, {D} %dy)
  %ds = extractvalue {{{D}, {D}}} %p, 0
  %dc = extractvalue {{{D}, {D}}} %p, 1
  %s = fptrunc {D} %ds to {T}
  %c = fptrunc {D} %dc to {T}
  %r0 = insertvalue {{{T}, {T}}} poison, {T} %s, 0
  %r1 = insertvalue {{{T}, {T}}} %r0, {T} %c, 1
  ret {{{T}, {T}}} %r1
}}
"""
    )


def _wrapped(t: Target, name: str, body: list[str], attributes: str) -> str:
    """The polynomial path, and a rarely taken branch to the library where a lane is huge or not finite."""
    T, B = t.type, t.vector("i1")
    test = [
        f"%size = call {T} @llvm.fabs.{t.suffix}({T} %sum)",
        f"%huge = fcmp ugt {T} %size, {t.literal(numbers.LIMIT)}",
    ]
    if t.width > 1:
        test += [f"%bits = bitcast {B} %huge to i{t.width}", f"%any = icmp ne i{t.width} %bits, 0"]
    lines = "\n".join(f"  {line}" for line in (*body, *test))
    return f"""{_library(t, name)}
define internal {{{T}, {T}}} @{name}({T} %x, {T} %y) nounwind {attributes} {{
entry:
  %sum = fadd {T} %x, %y
{lines}
  %n0 = insertvalue {{{T}, {T}}} poison, {T} %s, 0
  %near = insertvalue {{{T}, {T}}} %n0, {T} %c, 1
  br i1 {'%any' if t.width > 1 else '%huge'}, label %rare, label %done, !prof !0
rare:
  %far = call {{{T}, {T}}} @{name}_far({T} %x, {T} %y, {T} %s, {T} %c, {B} %huge)
  br label %done
done:
  %both = phi {{{T}, {T}}} [ %near, %entry ], [ %far, %rare ]
  ret {{{T}, {T}}} %both
}}
"""


def metadata() -> str:
    """Module-level lines that the branch refers to."""
    return _BRANCH_WEIGHTS


def _library(t: Target, name: str) -> str:
    """Lanes that are huge get the C library's answer, the others keep theirs, so a lane never sees its neighbours."""
    T, B, E = t.type, t.vector("i1"), t.real
    end = "" if t.dtype == "float64" else "f"
    lines = []
    for value, function in itertools.product("xy", ("sin", "cos")):
        made = f"%{function}_{value}"
        if t.width == 1:
            lines += [f"{made} = call {E} @aj_{function}{end}({E} %{value})"]
            continue
        for lane in range(t.width):
            lines += [
                f"{made}{lane}a = extractelement {T} %{value}, i64 {lane}",
                f"{made}{lane}b = call {E} @aj_{function}{end}({E} {made}{lane}a)",
            ]
        lines += joined(made[1:], [f"{made}{lane}b" for lane in range(t.width)], T, E)
    lines += [
        f"%sc = fmul {T} %sin_x, %cos_y",
        f"%cs = fmul {T} %cos_x, %sin_y",
        f"%cc = fmul {T} %cos_x, %cos_y",
        f"%ss = fmul {T} %sin_x, %sin_y",
        f"%ls = fadd {T} %sc, %cs",
        f"%lc = fsub {T} %cc, %ss",
        f"%rs = select {B} %huge, {T} %ls, {T} %s",
        f"%rc = select {B} %huge, {T} %lc, {T} %c",
        f"%r0 = insertvalue {{{T}, {T}}} poison, {T} %rs, 0",
        f"%r1 = insertvalue {{{T}, {T}}} %r0, {T} %rc, 1",
        f"ret {{{T}, {T}}} %r1",
    ]
    text = "\n".join(f"  {line}" for line in lines)
    attributes = "nounwind noinline cold" + (" alignstack(64)" if t.width > 1 else "")
    formal = f"{T} %x, {T} %y, {T} %s, {T} %c, {B} %huge"
    return f"define internal {{{T}, {T}}} @{name}_far({formal}) {attributes} {{\n{text}\n}}\n"


class _Lines:
    """Builds arithmetic lines with short names."""

    def __init__(self, target: Target) -> None:
        self.t, self.lines = target, list[str]()

    def put(self, name: str, text: str) -> str:
        self.lines.append(f"%{name} = {text}")
        return f"%{name}"

    def binary(self, name: str, op: str, a: str, b: str) -> str:
        return self.put(name, f"{op} {self.t.type} {a}, {b}")

    def integer(self, name: str, op: str, bits: str, a: str, number: str) -> str:
        return self.put(name, f"{op} {self.t.vector(bits)} {a}, {self.t.splat(bits, number)}")

    def fma(self, name: str, a: str, b: str, c: str) -> str:
        T = self.t.type
        return self.put(name, f"call {T} @llvm.fma.{self.t.suffix}({T} {a}, {T} {b}, {T} {c})")


def _fma_body(t: Target) -> list[str]:
    """k by adding a magic number, whose low bits then are the quadrant; signs are flipped by xor."""
    out, double = _Lines(t), t.dtype == "float64"
    bits, magic = ("i64", 1.5 * 2**52) if double else ("i32", 1.5 * 2**23)
    parts = numbers.HALF_PI_FMA_DOUBLE if double else numbers.HALF_PI_FMA_SINGLE
    sine = numbers.SIN_DOUBLE if double else numbers.SIN_SINGLE
    cosine = numbers.COS_DOUBLE if double else numbers.COS_SINGLE
    T, I = t.type, t.vector(bits)
    kd = out.fma("kd", "%sum", t.literal(numbers.TWO_OVER_PI), t.literal(magic))
    q = out.put("q", f"bitcast {T} {kd} to {I}")
    k = out.binary("k", "fsub", kd, t.literal(magic))
    m = out.put("m", f"fneg {T} {k}")
    r = out.fma("r0", m, t.literal(parts[0]), "%x")
    r = out.binary("r0y", "fadd", r, "%y")
    for i, part in enumerate(parts[1:], 1):
        r = out.fma(f"r{i}", m, t.literal(part), r)
    z = out.binary("z", "fmul", r, r)
    s, c = t.literal(sine[-1]), t.literal(cosine[-1])
    for i, (a, b) in enumerate(zip(sine[-2::-1], cosine[-2::-1], strict=True)):
        s, c = out.fma(f"ps{i}", s, z, t.literal(a)), out.fma(f"pc{i}", c, z, t.literal(b))
    rz = out.binary("rz", "fmul", r, z)
    even = out.fma("even", rz, s, r)
    inner = out.fma("inner", c, z, t.literal(-0.5))
    odd = out.fma("odd", inner, z, t.literal(1.0))
    low = out.integer("low", "and", bits, q, "1")
    swap = out.put("swap", f"icmp ne {I} {low}, {t.splat(bits, '0')}")
    next_q = out.integer("q1", "add", bits, q, "1")
    for name, first, second, quadrant in (("s", odd, even, q), ("c", even, odd, next_q)):
        chosen = out.put(f"{name}a", f"select {t.vector('i1')} {swap}, {T} {first}, {T} {second}")
        two = out.integer(f"{name}b", "and", bits, quadrant, "2")
        sign = out.integer(f"{name}d", "shl", bits, two, "62" if double else "30")
        raw = out.put(f"{name}e", f"bitcast {T} {chosen} to {I}")
        flipped = out.put(f"{name}f", f"xor {I} {raw}, {sign}")
        out.put(name, f"bitcast {I} {flipped} to {T}")
    return out.lines


def _plain_body(t: Target) -> list[str]:
    """The statements of `sincos.sincos`, in its order and without fused operations."""
    out = _Lines(t)
    T, I = t.type, t.vector("i32")
    p1, p2, p3, p4 = map(t.literal, numbers.HALF_PI_PLAIN)
    kx = out.binary("kx", "fmul", "%sum", t.literal(numbers.TWO_OVER_PI))
    kh = out.binary("kh", "fadd", kx, t.literal(0.5))
    k = out.put("k", f"call {T} @llvm.floor.{t.suffix}({T} {kh})")
    r1 = out.binary("r1", "fadd", out.binary("r1x", "fsub", "%x", out.binary("t1", "fmul", k, p1)), "%y")
    t2 = out.binary("t2", "fmul", k, p2)
    r2 = out.binary("r2", "fsub", r1, t2)
    e2 = out.binary("e2", "fsub", out.binary("d2", "fsub", r1, r2), t2)
    t3 = out.binary("t3", "fmul", k, p3)
    r = out.binary("r", "fsub", r2, t3)
    e3 = out.binary("e3", "fsub", out.binary("d3", "fsub", r2, r), t3)
    low = out.binary("low", "fsub", out.binary("e", "fadd", e2, e3), out.binary("t4", "fmul", k, p4))
    z = out.binary("z", "fmul", r, r)
    s, c = t.literal(numbers.SIN_DOUBLE[-1]), t.literal(numbers.COS_DOUBLE[-1])
    for i, (a, b) in enumerate(zip(numbers.SIN_DOUBLE[-2::-1], numbers.COS_DOUBLE[-2::-1], strict=True)):
        s = out.binary(f"ps{i}", "fadd", out.binary(f"ms{i}", "fmul", s, z), t.literal(a))
        c = out.binary(f"pc{i}", "fadd", out.binary(f"mc{i}", "fmul", c, z), t.literal(b))
    rzs = out.binary("rzs", "fmul", r, out.binary("zs", "fmul", z, s))
    even = out.binary("even", "fadd", r, out.binary("tail", "fadd", rzs, low))
    half = out.binary("half", "fsub", out.binary("zc", "fmul", z, c), t.literal(0.5))
    fall = out.binary("fall", "fsub", out.binary("zh", "fmul", z, half), out.binary("rl", "fmul", r, low))
    odd = out.binary("odd", "fadd", t.literal(1.0), fall)
    q = out.put("q", f"fptosi {T} {k} to {I}")
    swap = _bit(out, "swap", q, "1")
    next_q = out.integer("q1", "add", "i32", q, "1")
    for name, first, second, quadrant in (("s", odd, even, q), ("c", even, odd, next_q)):
        chosen = out.put(f"{name}a", f"select {t.vector('i1')} {swap}, {T} {first}, {T} {second}")
        negative = out.put(f"{name}n", f"fneg {T} {chosen}")
        out.put(name, f"select {t.vector('i1')} {_bit(out, f'{name}b', quadrant, '2')}, {T} {negative}, {T} {chosen}")
    return out.lines


def _bit(out: _Lines, name: str, quadrant: str, bit: str) -> str:
    masked = out.integer(f"{name}m", "and", "i32", quadrant, bit)
    return out.put(name, f"icmp ne {out.t.vector('i32')} {masked}, {out.t.splat('i32', '0')}")
