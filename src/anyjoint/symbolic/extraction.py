"""The cheapest expression of every class of equal ones, and outputs built from these alone."""

from anyjoint.symbolic.equality import Equalities
from anyjoint.symbolic.graph import Graph
from anyjoint.symbolic.ops import Op

# Rough cost of an operation in units of one addition; what is not listed costs 20.
_LISTED = {Op.CONST: 0, Op.VAR: 0, Op.ADD: 1, Op.SUB: 1, Op.MUL: 1, Op.NEG: 1, Op.DIV: 6, Op.SQRT: 8, Op.SIN: 15}
_LISTED |= {Op.COS: 15, Op.ABS: 2, Op.MIN: 1, Op.MAX: 1, Op.FLOOR: 1, Op.LT: 1, Op.LE: 1, Op.EQ: 1, Op.SELECT: 1}
COST = tuple(_LISTED.get(op, 20) for op in Op)

Member = tuple[int, tuple[int, ...], int, int]  # operation, rows that it uses, sign of the class against it, node


class Extraction:
    """Picks the cheapest node of every class of equal nodes, and builds outputs from these alone.

    A node's cost is that of its tree. What is picked costs more than what it uses, so there are no cycles: a class
    only gets cheaper while rows are visited.
    """

    def __init__(self, g: Graph, equal: Equalities) -> None:
        self.g = g
        self.equal = equal
        self._best: dict[int, Member] = {}
        self._cost: dict[int, float] = {}
        if not self._pick():
            equal.find_classes(only_earlier=True)
            self._pick()

    def _pick(self) -> bool:
        """Fill `_best`; False if classes are made of each other. A row that uses a later class waits for it."""
        e, home, numbers = self.equal.evaluation, self.equal.home, self.equal.numbers
        self._best.clear()
        self._cost = dict.fromkeys(numbers, 0.0)
        waiting = [row for row, member in enumerate(self.equal.is_member) if member and row not in numbers]
        while waiting:
            members = [(home[row][0], (e.op[row], e.operands[row], home[row][1], e.ids[row])) for row in waiting]
            again = [row for row, member in zip(waiting, members, strict=True) if not self._offer(*member)]
            if len(again) == len(waiting):
                return False
            waiting = again
        for row, (a, b, sign) in self.equal.products.items():
            self._offer(home[row][0], (Op.MUL, (a, b), sign * home[row][1], -1))
        return True

    def _offer(self, home: int, member: Member) -> bool:
        """Make a member its class's best if it is the cheapest so far; False if it cannot be judged yet."""
        price: float = COST[member[0]]
        for x in member[1]:
            cost = self._cost.get(self.equal.home[x][0])
            if cost is None:
                return False
            price += cost
        if home not in self._cost or price < self._cost[home]:
            self._cost[home], self._best[home] = price, member
        return True

    def build(self, outputs: list[int]) -> list[int]:
        """The ids of the outputs, rebuilt."""
        index, home, numbers = self.equal.evaluation.index, self.equal.home, self.equal.numbers
        built: dict[int, int] = {}
        stack = [home[index[i]][0] for i in outputs]
        while stack:
            top = stack[-1]
            parts = () if top in numbers else self._best[top][1]
            missing = [k for x in parts if (k := home[x][0]) not in built]
            if top not in built and missing:
                stack.extend(missing)
                continue
            stack.pop()
            if top not in built:
                built[top] = self._built(top, [self._signed(built, x) for x in parts])
        return [self._signed(built, index[i]) for i in outputs]

    def _built(self, home: int, operands: list[int]) -> int:
        g = self.g
        if home in self.equal.numbers:
            return g.constant_id(self.equal.numbers[home])
        op, _, sign, i = self._best[home]
        if operands:
            i = g.node(op, *operands, *([g.b[i]] if op == Op.GATHER else []))
        return i if sign > 0 else g.node(Op.NEG, i)

    def _signed(self, built: dict[int, int], row: int) -> int:
        home, sign = self.equal.home[row]
        return built[home] if sign > 0 else self.g.node(Op.NEG, built[home])
