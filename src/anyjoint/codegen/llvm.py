"""LLVM text of listings: one table of operations, printed for one lane or several, in either precision."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

from anyjoint.codegen import sincos_llvm
from anyjoint.codegen.grouped import AT_ONCE, SIZES, beside
from anyjoint.codegen.ir import SIGNATURES, Code, Listing, Statement
from anyjoint.codegen.kernel import Array
from anyjoint.codegen.pack import Pack, Step
from anyjoint.codegen.passes import for_printing
from anyjoint.codegen.target import Target
from anyjoint.codegen.transpose import joined, transposed
from anyjoint.symbolic.ops import OPERATIONS, Op

TEXT: dict[int, str] = {
    **{op: of.llvm for op, of in OPERATIONS.items() if of.llvm},
    Code.SINCOS: (
        "%p{r} = call {{{T}, {T}}} @sincos({T} {a}, {T} {b})\n"
        "  %t{r} = extractvalue {{{T}, {T}}} %p{r}, 0\n"
        "  %t{r1} = extractvalue {{{T}, {T}}} %p{r}, 1"
    ),
    Code.FENCE: 'fence syncscope("singlethread") acq_rel',
}
_SPECIAL = frozenset((Op.CONST, Op.GATHER, Code.LOAD, Code.STORE))  # which are printed each in its way
SUMS = 4  # of zeros, at once
LINE = 64  # bytes that a cache brings at once
WIDE = 8  # sines and cosines that one state computes at once
_PURE = "nounwind willreturn memory(none)"


def vector_attribute(target: Target) -> str:
    """Spilled vectors need an aligned stack, which LLVM does not make by itself; for scalars it would cost time."""
    return " alignstack(64)" if target.width > 1 else ""


def function(
    name: str, listing: Listing, target: Target, first_table: int, attributes: str, columns: int = 1
) -> str:
    """A listing as an internal function of its arrays; columns of one state are computed side by side."""
    formal = [text for i, array in enumerate(listing.arrays) for text in parameters(i, array, target)]
    arguments = ", ".join([*formal, *looked_at(target)])
    listing, steps = for_printing(listing, target, columns)
    target = replace(target, width=columns) if columns > 1 else target
    printer = _Printer(listing, steps, target, first_table, columns > 1)
    body = "\n  ".join(printer.lines())
    attributes += vector_attribute(target)
    return f"define internal void @{name}({arguments}) nounwind {attributes} {{\n  {body}\n  ret void\n}}\n"


def parameters(i: int, array: Array, target: Target, prefix: str = "a") -> Iterable[str]:
    """Formal parameters of array i: its pointer and, for rows, how far the other lanes are from the first."""
    yield f"ptr noalias %{prefix}{i}"
    if array.kind == "row":
        yield from (f"i64 %{prefix}{i}d{lane}" for lane in range(1, target.width))


def looked_at(target: Target) -> list[str]:
    """The last parameter in batches: zero times all that goes to rows is added there, which is zero or NaN.

    Numbers are in registers when they are stored; to look at rows later would take as long as to write them.
    """
    return ["ptr %looked"] if target.looks else []


def prelude(used: AbstractSet[int], tables: Sequence[Sequence[float]], target: Target, inline: bool) -> str:
    """Tables, declarations and helper functions for listings that use these operations."""
    parts = [table_text(number, table, target) for number, table in enumerate(tables)]
    s, T = target.suffix, target.type
    parts += [f"declare {T} @llvm.{name}.{s}({T})" for name in ("sqrt", "fabs", "floor")]
    parts += [f"declare {T} @llvm.fma.{s}({T}, {T}, {T})"]
    for op, of in OPERATIONS.items():
        if op in used and of.library:
            parts += [make(of.library, len(of.takes), target) for make in (_declaration, _library_call)]
    if Code.SINCOS in used:
        precise = sincos_llvm.precision(target)
        if precise != target:
            D, d = precise.type, precise.suffix
            parts += [f"declare {D} @llvm.{name}.{d}({D})" for name in ("fabs", "floor")]
        parts += [_declaration(name, 1, precise) for name in ("sin", "cos")]
        parts += [sincos_llvm.helpers(target, inline), sincos_llvm.metadata()]
        if target.width == 1:
            parts += [_side_by_side(target)]
    return "\n".join(parts) + "\n"


def _side_by_side(target: Target) -> str:
    """@sincos_wide: sines and cosines of several joints of one state at once."""
    wide = replace(target, width=WIDE)
    precise = sincos_llvm.precision(wide)
    names = {(name, t.type, t.suffix) for t in (wide, precise) for name in ("fabs", "floor")}
    lines = [f"declare {T} @llvm.{name}.{s}({T})" for name, T, s in sorted(names)]
    lines += [f"declare {wide.type} @llvm.fma.{wide.suffix}({wide.type}, {wide.type}, {wide.type})"]
    return "\n".join([*lines, sincos_llvm.helpers(wide, inline=True, name="sincos_wide")])


def table_text(number: int, table: Sequence[float], target: Target) -> str:
    """A constant table."""
    scalar = Target(target.dtype)
    numbers = ", ".join(f"{target.real} {scalar.literal(x)}" for x in table)
    return f"@g{number} = internal constant [{len(table)} x {target.real}] [{numbers}]"


def _symbol(name: str, target: Target) -> str:
    return f"aj_{name}" if target.dtype == "float64" else f"aj_{name}f"


def _declaration(name: str, arity: int, target: Target) -> str:
    """The C library's function under a name of ours, so that LLVM does not replace it by something less exact."""
    return f"declare {target.real} @{_symbol(name, target)}({', '.join([target.real] * arity)}) {_PURE}"


def _library_call(name: str, arity: int, target: Target) -> str:
    """A call of the C library for each lane."""
    T, E, letters = target.type, target.real, "xy"[:arity]
    lines = []
    if target.width == 1:
        arguments = ", ".join(f"{E} %{letter}" for letter in letters)
        lines = [f"%v = call {E} @{_symbol(name, target)}({arguments})", f"ret {T} %v"]
    for lane in range(target.width if target.width > 1 else 0):
        lines += [f"%{letter}{lane} = extractelement {T} %{letter}, i64 {lane}" for letter in letters]
        arguments = ", ".join(f"{E} %{letter}{lane}" for letter in letters)
        lines.append(f"%r{lane} = call {E} @{_symbol(name, target)}({arguments})")
    if target.width > 1:
        lines += [*joined("v", [f"%r{lane}" for lane in range(target.width)], T, E), f"ret {T} %v"]
    formal = ", ".join(f"{T} %{letter}" for letter in letters)
    body = "\n  ".join(lines)
    return f"define internal {T} @library_{name}({formal}) {_PURE} noinline{vector_attribute(target)} {{\n  {body}\n}}"


def fixed_words(target: Target) -> dict[str, str]:
    """What the texts of operations say of types."""
    flags = " contract" if target.contract else ""
    return {"T": target.type, "B": target.vector("i1"), "f": flags, "s": target.suffix}


def _typed(text: str, words: dict[str, str]) -> str:
    """The text of an operation in which only numbers of values are left open."""
    for letter, word in words.items():
        text = text.replace(f"{{{letter}}}", word)
    return text


def _in_all_lanes(name: str, value: str, vector: str, element: str, target: Target) -> Iterable[str]:
    """Define %name as a vector that has one value in all lanes."""
    yield f"%{name}i = insertelement {vector} poison, {element} {value}, i64 0"
    yield f"%{name} = shufflevector {vector} %{name}i, {vector} poison, {target.vector('i32')} zeroinitializer"


class _Printer:
    """Prints the statements of one listing; constants become literals inside the statements that use them."""

    def __init__(
        self, listing: Listing, steps: Sequence[Step], target: Target, first_table: int, columns: bool
    ) -> None:
        self.listing, self.steps, self.target, self.first_table = listing, steps, target, first_table
        self.columns = columns  # lanes are columns of one state, beside each other in wide arrays
        self.looks = target.alone if columns else target.looks  # rows of a single call are looked at as a whole
        self.name: dict[int, str] = {}
        self.fixed = fixed_words(target)
        self.texts: dict[int, str] = {}  # of operations, for values of this type
        self.vectors: dict[tuple[int, ...], str] = {}  # values that are lanes of one vector
        self.inside: dict[int, str] = {}  # where values are that have not been taken out of their vector
        self.sums = ["zeroinitializer"] * SUMS  # zero times what was stored in rows of states
        self.stored = 0  # how many values that are

    def lines(self) -> Iterable[str]:
        for i, array in enumerate(self.listing.arrays):
            for lane in range(1, self.target.width if self.kind(i) == "row" else 1):
                distance = lane * array.step if self.columns else f"%a{i}d{lane}"
                yield f"%a{i}p{lane} = getelementptr {self.target.real}, ptr %a{i}, i64 {distance}"
        together: list[Statement] = []
        stored = 0  # statements up to here are stores that have been printed
        for number, statement in enumerate(self.steps):
            if number < stored:
                continue
            if not isinstance(statement, Statement):
                yield from self.sincos(together)
                together = []
                yield from self.pack(statement)
                continue
            if self.inside:
                yield from self.apart(statement.args)
            op = statement.op
            joins = op == Code.SINCOS and self.target.width == 1
            if together and (
                not joins or any(arg in (s.result, s.result + 1) for s in together for arg in statement.args)
            ):
                yield from self.sincos(together)
                together = []
            if joins:
                together.append(statement)
            elif op not in _SPECIAL:
                yield self.plain(statement)
            elif op == Op.CONST:
                self.name[statement.result] = self.target.literal(statement.data[0])
            elif op == Code.LOAD:
                yield from self.load(f"t{statement.result}", *statement.data[:2])
            elif op == Code.STORE and (count := self.transposes(number)) > 1:
                stored = number + count
                yield from self.store_beside(f"s{number}", self.listing.statements[number:stored])
            elif op == Code.STORE:
                yield from self.store(f"s{number}", statement)
            else:
                yield from self.gather(statement)
        yield from self.sincos(together)
        if self.stored:
            yield from self.look()

    def sincos(self, statements: Sequence[Statement]) -> Iterable[str]:
        """Sines and cosines that stand together are computed side by side, a few at a time."""
        for begin in range(0, len(statements), WIDE):
            group = statements[begin : begin + WIDE]
            if len(group) == 1:
                yield self.plain(group[0])
                continue
            T, E, r = f"<{WIDE} x {self.target.real}>", self.target.real, group[0].result
            padded = [*group, *[group[-1]] * (WIDE - len(group))]
            for part, letter in enumerate("xy"):
                yield from joined(f"{letter}{r}", [self.operand(s.args[part]) for s in padded], T, E)
            yield f"%p{r} = call {{{T}, {T}}} @sincos_wide({T} %x{r}, {T} %y{r})"
            yield f"%s{r}s = extractvalue {{{T}, {T}}} %p{r}, 0"
            yield f"%s{r}c = extractvalue {{{T}, {T}}} %p{r}, 1"
            for lane, statement in enumerate(group):
                yield f"%t{statement.result} = extractelement {T} %s{r}s, i64 {lane}"
                yield f"%t{statement.result + 1} = extractelement {T} %s{r}c, i64 {lane}"

    def operand(self, value: int) -> str:
        return self.name.get(value) or f"%t{value}"

    def plain(self, statement: Statement) -> str:
        op, args, _, result = statement
        if op not in self.texts:
            self.texts[op] = _typed(TEXT[op], self.fixed)
        operands = dict(zip("abc", map(self.operand, args), strict=False))
        return self.texts[op].format(r=result, r1=result + 1, **operands)

    def pack(self, pack: Pack) -> Iterable[str]:
        """One operation on several lanes, from vectors or from values that are brought together; then lane by lane."""
        target = replace(self.target, width=len(pack.values))
        types, given = ([target.real if x == "r" else "i1" for x in kinds] for kinds in SIGNATURES[pack.op])
        for kind, row in zip(types, pack.operands, strict=True):
            yield from self.together(row, kind, target)
        operands = dict(zip("abc", (self.vectors[row] for row in pack.operands), strict=False))
        name = f"{pack.values[0]}v"
        yield TEXT[pack.op].format(r=name, **operands, **fixed_words(target))
        self.vectors[pack.values] = f"%t{name}"
        for lane, value in enumerate(pack.values):
            self.inside[value] = f"{target.vector(given[0])} %t{name}, i64 {lane}"

    def apart(self, values: Iterable[int]) -> Iterable[str]:
        """Values that are lanes of a vector, each by itself, where they are first needed so."""
        for value in values:
            if place := self.inside.pop(value, None):
                yield f"%t{value} = extractelement {place}"

    def together(self, values: tuple[int, ...], E: str, target: Target) -> Iterable[str]:
        """A vector of values: a pack, a number in all lanes, places beside each other, or one value after the other."""
        if values in self.vectors:
            return
        T, name = target.vector(E), f"u{'_'.join(map(str, values))}"
        self.vectors[values] = f"%{name}"
        yield from self.apart(values)
        if len(set(values)) == 1:
            yield from _in_all_lanes(name, self.operand(values[0]), T, E, target)
        else:
            yield from joined(name, [self.operand(value) for value in values], T, E)

    def load(self, name: str, array: int, offset: int) -> Iterable[str]:
        """Define %name as element `offset` of an array."""
        t = self.target
        kind = self.kind(array)
        if t.width == 1 or kind == "beside":
            yield f"%{name}q = getelementptr {t.real}, ptr %a{array}, i64 {offset}"
            yield f"%{name} = load {t.type}, ptr %{name}q, align {t.size}"
        elif kind == "lane":
            yield f"%{name}q = getelementptr {t.type}, ptr %a{array}, i64 {offset}"
            yield f"%{name} = load {t.type}, ptr %{name}q, align {t.size * t.width}"
        elif kind == "uniform":
            yield f"%{name}q = getelementptr {t.real}, ptr %a{array}, i64 {offset}"
            yield f"%{name}e = load {t.real}, ptr %{name}q, align {t.size}"
            yield from _in_all_lanes(name, f"%{name}e", t.type, t.real, t)
        else:
            for lane in range(t.width):
                yield f"%{name}q{lane} = getelementptr {t.real}, ptr {self.row(array, lane)}, i64 {offset}"
                yield f"%{name}e{lane} = load {t.real}, ptr %{name}q{lane}, align {t.size}"
            yield from joined(name, [f"%{name}e{lane}" for lane in range(t.width)], t.type, t.real)

    def kind(self, array: int) -> str:
        """Where the lanes of an array are; columns of one state are beside each other, apart, or alike."""
        given = self.listing.arrays[array]
        if not self.columns:
            return given.kind
        if not given.wide:
            return "uniform"
        return "beside" if given.step == 1 else "row"

    def row(self, array: int, lane: int) -> str:
        return f"%a{array}p{lane}" if lane else f"%a{array}"

    def store(self, name: str, statement: Statement) -> Iterable[str]:
        t, (array, offset, accumulate) = self.target, statement.data
        value = self.operand(statement.args[0])
        if accumulate:
            yield from self.load(f"{name}o", array, offset)
            yield f"%{name} = fadd{self.fixed['f']} {t.type} %{name}o, {value}"
            value = f"%{name}"
        kind = self.kind(array)
        if self.listing.arrays[array].kind == "row":
            yield from self.zero_times(value)
        if t.width == 1 or kind in ("lane", "beside"):
            element, alignment = (t.real, t.size) if kind == "beside" else (t.type, t.size * t.width)
            yield f"%{name}q = getelementptr {element}, ptr %a{array}, i64 {offset}"
            yield f"store {t.type} {value}, ptr %{name}q, align {alignment}"
            if t.alone and kind == "beside" and self.listing.arrays[array].kind == "row":
                # Matrices are written along their rows, and are too large to be near.
                yield f"%{name}n = getelementptr i8, ptr %{name}q, i64 {LINE}"
                yield f"call void @llvm.prefetch.p0(ptr %{name}n, i32 1, i32 3, i32 1)"
            return
        # Lanes of a uniform array are equal by contract, so the first one speaks for all.
        for lane in range(t.width if kind == "row" else 1):
            yield f"%{name}q{lane} = getelementptr {t.real}, ptr {self.row(array, lane)}, i64 {offset}"
            yield f"%{name}e{lane} = extractelement {t.type} {value}, i64 {lane}"
            yield f"store {t.real} %{name}e{lane}, ptr %{name}q{lane}, align {t.size}"

    def transposes(self, number: int) -> int:
        """How many stores from one on are done at once."""
        if self.target.width == 1 or self.kind(self.listing.statements[number].data[0]) != "row":
            return 1
        return beside(self.listing.statements, number, AT_ONCE if self.columns else SIZES[0])

    def store_beside(self, name: str, statements: Sequence[Statement]) -> Iterable[str]:
        """Places beside each other of each lane's row."""
        t, (array, offset, _) = self.target, statements[0].data
        values = [self.operand(s.args[0]) for s in statements]
        for value in values:
            yield from self.zero_times(value)
        yield from transposed(name, values, t)
        for lane in range(t.width):
            yield f"%{name}q{lane} = getelementptr {t.real}, ptr {self.row(array, lane)}, i64 {offset}"
            vector = f"<{len(statements)} x {t.real}>"
            yield f"store {vector} %{name}_row{lane}, ptr %{name}q{lane}, align {t.size}"

    def zero_times(self, value: str) -> Iterable[str]:
        """Add zero times a value that goes to rows of states; in turns, since a sum waits for itself."""
        if not self.looks:
            return
        T, name, k = self.target.type, f"%z{self.stored}", self.stored % SUMS
        if self.target.alone:  # vectors are as long as there are columns, and no function is declared for them
            yield f"{name}z = fmul contract {T} {value}, zeroinitializer"
            yield f"{name} = fadd contract {T} {name}z, {self.sums[k]}"
        else:
            s = self.target.suffix
            yield f"{name} = call {T} @llvm.fma.{s}({T} {value}, {T} zeroinitializer, {T} {self.sums[k]})"
        self.sums[k], self.stored = name, self.stored + 1

    def look(self) -> Iterable[str]:
        """Hand on whether all was finite."""
        t = self.target
        sums = self.sums[: self.stored]
        yield f"%looked0 = load {t.type}, ptr %looked, align {t.size}"
        for k, total in enumerate(sums):
            yield f"%looked{k + 1} = fadd {t.type} %looked{k}, {total}"
        yield f"store {t.type} %looked{len(sums)}, ptr %looked, align {t.size}"

    def gather(self, statement: Statement) -> Iterable[str]:
        """The index rounded down and clamped to the table; NaN means the first entry."""
        t, r = self.target, statement.result
        T, B, I = t.type, t.vector("i1"), t.vector("i32")
        table = statement.data[0]
        top, zero = t.literal(len(self.listing.tables[table]) - 1), t.literal(0.0)
        x = self.operand(statement.args[0])
        yield f"%t{r}c = fcmp ogt {T} {x}, {zero}"
        yield f"%t{r}d = select {B} %t{r}c, {T} {x}, {T} {zero}"
        yield f"%t{r}e = fcmp olt {T} %t{r}d, {top}"
        yield f"%t{r}f = select {B} %t{r}e, {T} %t{r}d, {T} {top}"
        yield f"%t{r}i = fptosi {T} %t{r}f to {I}"
        if t.width == 1:
            yield f"%t{r}q = getelementptr {t.real}, ptr @g{self.first_table + table}, i32 %t{r}i"
            yield f"%t{r} = load {t.real}, ptr %t{r}q, align {t.size}"
            return
        for lane in range(t.width):
            yield f"%t{r}i{lane} = extractelement {I} %t{r}i, i64 {lane}"
            yield f"%t{r}q{lane} = getelementptr {t.real}, ptr @g{self.first_table + table}, i32 %t{r}i{lane}"
            yield f"%t{r}e{lane} = load {t.real}, ptr %t{r}q{lane}, align {t.size}"
        yield from joined(f"t{r}", [f"%t{r}e{lane}" for lane in range(t.width)], T, t.real)
