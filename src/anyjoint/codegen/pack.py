"""Limbs that are alike side by side: in straight code for one state, operations that legs or fingers have in common
become one operation on a vector, one limb in each lane.

Code of a whole robot outgrows the processor's first cache for instructions, and is then as slow as it is long. What
several limbs do alike is found by two labels of a value: how it is made from what is loaded, and what is made of it up
to what is stored. Values that agree in one of them, and differ in where that is, are lanes of a *pack*; so are their
operands, one by one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from anyjoint.codegen.ir import LEAVES, Code, Listing, Statement, defined
from anyjoint.symbolic.ops import OPERATIONS, Op

PACKABLE = frozenset((Op.ADD, Op.SUB, Op.MUL, Op.DIV, Op.NEG, Op.LT, Op.SELECT))
COMMUTATIVE = frozenset(op for op, of in OPERATIONS.items() if of.commutative)  # whose operands may change places
LANES = (4, 2)
ALIKE = 8  # values; more of them are not limbs, but the like of a chain's links
WORTH = 0.1  # of all operations must be saved


class Pack(NamedTuple):
    """One operation on several lanes: the values that it defines, and for each operand those that it takes."""

    op: int
    values: tuple[int, ...]
    operands: tuple[tuple[int, ...], ...]


Step = Statement | Pack


def packed(listing: Listing) -> tuple[Step, ...]:
    """The statements in an order in which packs can be computed; as they are where packing saves too little."""
    packing = _Packing(listing)
    return packing.ordered() if packing.pays() else listing.statements


def has_limbs(listing: Listing) -> bool:
    """Whether limbs that are alike do a good part of it."""
    return _Packing(listing).pays()


class _Packing:
    """Packs, as tuples of values; each value is in at most one."""

    def __init__(self, listing: Listing) -> None:
        self.listing = listing
        self.maker = {value: s for s in listing.statements for value in defined(s)}
        self.made, self.made_where = self._from_loads()
        self.used, self.used_where = self._to_stores()
        self.packs: dict[tuple[int, ...], tuple[tuple[int, ...], ...]] = {}  # values -> operands, lane by lane
        self.lane: dict[int, tuple[int, ...]] = {}  # value -> the pack that it is in
        self.find()

    def pays(self) -> bool:
        """Whether packs save enough; lanes of an operand that is no pack are brought together by an operation."""
        saved = sum(len(pack) - 1 for pack in self.packs)
        saved -= sum(operand not in self.packs for operands in self.packs.values() for operand in operands)
        return saved > WORTH * sum(statement.op not in LEAVES for statement in self.listing.statements)

    # -- labels ----------------------------------------------------------------------------------------------------

    def _from_loads(self) -> tuple[dict[int, int], dict[int, int]]:
        """Of each value how it is made, but for where it is loaded, and the last entry of a row that it depends on."""
        labels: dict[object, int] = {}
        label, where = dict[int, int](), dict[int, int]()
        for statement in self.listing.statements:
            op, args = statement.op, statement.args
            if op == Code.STORE:
                continue
            said: tuple[object, ...] = statement.data
            at = max([where[x] for x in args], default=-1)
            if op == Code.LOAD:
                array = self.listing.arrays[statement.data[0]]
                said, at = (statement.data[0],), statement.data[1] if array.kind == "row" else -1
            parts = [label[x] for x in args] if op != Code.SINCOS else []  # all angles are alike
            if op in COMMUTATIVE:
                parts.sort()
            for which, value in enumerate(defined(statement)):
                label[value], where[value] = labels.setdefault((op, said, which, *parts), len(labels)), at
        return label, where

    def _to_stores(self) -> tuple[dict[int, int], dict[int, int]]:
        """Of each value what is made of it, but for where it is stored, and the last place where that is."""
        labels: dict[object, int] = {}
        label, where = dict[int, int](), dict[int, int]()
        kinds: dict[tuple[int, ...], int] = {}  # of uses, as numbers
        uses: dict[int, list[int]] = {}
        for statement in reversed(self.listing.statements):
            op, own, at = statement.op, 0, -1
            if op == Code.STORE:
                at = statement.data[1]
            else:
                for value in defined(statement):
                    said = tuple(sorted(uses.pop(value, ())))
                    label[value] = own = labels.setdefault((op, said), len(labels) + 1)
                    at = where[value] = max(where.get(value, -1), at)
            for place, arg in enumerate(statement.args):
                use = kinds.setdefault((op, -1 if op in COMMUTATIVE else place, own), len(kinds))
                if arg in uses:
                    uses[arg].append(use)
                    where[arg] = max(where[arg], at)
                else:
                    uses[arg], where[arg] = [use], at
        return label, where

    # -- packs -----------------------------------------------------------------------------------------------------

    def find(self) -> None:
        """Pack values that are made alike, then those of which the same is made, the last ones first."""
        for label, where in ((self.made, self.made_where), (self.used, self.used_where)):
            groups: dict[int, list[int]] = {}
            for statement in reversed(self.listing.statements):
                if statement.op in PACKABLE:
                    groups.setdefault(label[statement.result], []).append(statement.result)
            for group in groups.values():
                if len(group) < LANES[-1]:
                    continue
                free = sorted((x for x in group if x not in self.lane), key=where.__getitem__)
                if len(free) <= ALIKE and len({where[x] for x in free}) == len(free):
                    for size in LANES:
                        while len(free) >= size:
                            self.pack(tuple(free[:size]))
                            free = free[size:]

    def pack(self, values: tuple[int, ...]) -> None:
        """Make a pack of values, and packs of their operands."""
        waiting = [values]
        while waiting:
            values = waiting.pop()
            if self.fits(values):
                operands = self.operands(values)
                self.packs[values] = operands
                self.lane |= dict.fromkeys(values, values)
                waiting += operands

    def fits(self, values: tuple[int, ...]) -> bool:
        """Whether values can be a pack: alike, different, and in no other one."""
        ops = {self.maker[x].op for x in values}
        alike = any(len({label.get(x) for x in values}) == 1 for label in (self.made, self.used))
        free = len(set(values)) == len(values) and not any(x in self.lane for x in values)
        return alike and free and len(ops) == 1 and ops <= PACKABLE

    def operands(self, values: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
        """Operands of all lanes, by their place; those of sums and products in the order of the first lane's."""
        first, *others = (self.maker[x] for x in values)
        rows = [first.args]
        for other in others:
            args = other.args
            if other.op in COMMUTATIVE and self.likeness(first.args, args) < self.likeness(first.args, args[::-1]):
                args = args[::-1]
            rows.append(args)
        return tuple(zip(*rows, strict=True))

    def likeness(self, some: Sequence[int], others: Sequence[int]) -> int:
        """How well operands go together."""
        score = 0
        for x, y in zip(some, others, strict=True):
            score += 4 * (x == y) + 4 * (self.made[x] == self.made[y]) + 2 * (self.used.get(x) == self.used.get(y))
            score += self.maker[x].op == self.maker[y].op
        return score

    # -- order -----------------------------------------------------------------------------------------------------

    def ordered(self) -> tuple[Step, ...]:
        """Each pack where its first lane is needed, behind all that its lanes need; packs in a circle are undone."""
        while True:
            ordering = _Ordering(self.maker, self.lane, self.packs)
            circle = ordering.run(self.listing.statements)
            if not circle:
                return tuple(ordering.steps)
            self.undo(circle)

    def undo(self, values: tuple[int, ...]) -> None:
        """Take a pack apart."""
        del self.packs[values]
        for x in values:
            del self.lane[x]


class _Ordering:
    """Statements and packs, each behind all that it needs."""

    def __init__(
        self, maker: Mapping[int, Statement], lane: Mapping[int, tuple[int, ...]],
        packs: Mapping[tuple[int, ...], tuple[tuple[int, ...], ...]],
    ) -> None:  # fmt: skip
        self.maker, self.lane, self.packs = maker, lane, packs
        self.steps: list[Step] = []
        self.done: set[int] = set()

    def run(self, statements: Iterable[Statement]) -> tuple[int, ...]:
        """Order all statements; a pack that waits for itself ends it."""
        for statement in statements:
            if circle := self.bring(statement.args if statement.op == Code.STORE else (statement.result,)):
                return circle
            if statement.op == Code.STORE:
                self.steps.append(statement)
        return ()

    def bring(self, values: Sequence[int]) -> tuple[int, ...]:
        """Compute values, after all that they depend on; a pack that waits for itself ends it."""
        stack, way = list(values), list[tuple[int, ...]]()  # what is begun, each for the one before
        while stack:
            if stack[-1] in self.done:
                stack.pop()
                continue
            lanes = self.lane.get(stack[-1], (stack[-1],))
            makers = tuple(self.maker[x] for x in lanes)
            missing = [arg for maker in makers for arg in maker.args if arg not in self.done]
            if not missing:
                stack.pop()
                way = way[:-1] if way and way[-1] == lanes else way
                self.done.update(value for maker in makers for value in defined(maker))
                first = makers[0]
                self.steps.append(Pack(first.op, lanes, self.packs[lanes]) if len(lanes) > 1 else first)
                continue
            way.append(lanes)
            begun = [way.index(x) for x in (self.lane.get(arg, (arg,)) for arg in missing) if x in way]
            if begun:
                return next(x for x in reversed(way) if len(x) > 1)
            stack += reversed(missing)
        return ()
