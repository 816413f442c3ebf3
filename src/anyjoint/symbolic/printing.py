"""Expressions as text, as a Graphviz picture and as LaTeX.

What is used more than once, or would make a line too long, becomes a named temporary: the output of a big graph
stays linear in its size.
"""

import re
from collections.abc import Callable

from anyjoint.scalar import Scalar
from anyjoint.scalar.differentiate import Nested

from .graph import Graph
from .node import Node
from .ops import CONDITIONS, OPERATIONS, TIGHTEST, Op
from .rewrite import common_graph, flatten, reachable

_LONG = 60  # characters after which a part of an expression gets a line of its own

_FEW = 20  # nodes of an expression that is printed in full where it is mentioned

# A piece of output and how tightly it holds together.
Piece = tuple[str, int]
Formatter = Callable[[Graph, int, list[Piece]], Piece]


def brief(node: Node) -> str:
    """One line that identifies a node without printing everything below it."""
    text = to_text(node) if _is_small(node) else "\n"
    return text if "\n" not in text else f"<{OPERATIONS[node.op].printed} node {node.id}>"


def _is_small(node: Node) -> bool:
    """Are there only a few nodes below? Looks at no more than that."""
    seen, stack = {node.id}, [node.id]
    while stack and len(seen) <= _FEW:
        new = set(node.graph.operands(stack.pop())) - seen
        seen |= new
        stack += new
    return len(seen) <= _FEW


def to_text(outputs: Nested) -> str:
    """Python-like lines: temporaries first, then the outputs (`out[i] = ...`, or the bare expression if it is one)."""
    flat = flatten(outputs)[0]
    definitions, pieces = _pieces(flat, _text_piece, "t{}".format)
    lines = [f"{name} = {text}" for name, text in definitions]
    if not isinstance(outputs, Node):
        pieces = [f"out[{i}] = {text}" for i, text in enumerate(pieces)]
    return "\n".join([*lines, *pieces])


def to_latex(outputs: Nested) -> str:
    """An `aligned` block of equations, without the surrounding math delimiters."""
    definitions, pieces = latex_parts(outputs)
    rows = [f"{name} &= {text}" for name, text in definitions]
    rows += [f"y_{{{i}}} &= {text}" for i, text in enumerate(pieces)]
    return "\\begin{aligned}\n" + " \\\\\n".join(rows) + "\n\\end{aligned}"


def latex_parts(outputs: Nested) -> tuple[list[tuple[str, str]], list[str]]:
    """Definitions of temporaries (name, formula), and the formulas of the flattened outputs, to be set as one likes."""
    return _pieces(flatten(outputs)[0], _latex_piece, "t_{{{}}}".format)


def to_dot(outputs: Nested) -> str:
    """A Graphviz digraph: an arrow from each operation to what it uses, outputs as boxes."""
    nodes = [x for x in flatten(outputs)[0] if isinstance(x, Node)]
    if not nodes:
        return "digraph expression {\n}\n"
    g = common_graph(nodes)
    lines = ["digraph expression {"]
    for i in reachable(g, (x.id for x in nodes)):
        lines.append(f'  n{i} [label="{_dot_label(g, i)}"];')
        lines += [f"  n{i} -> n{x};" for x in g.operands(i)]
    for k, node in enumerate(nodes):
        lines.append(f'  out{k} [shape=box, label="out[{k}]"];')
        lines.append(f"  out{k} -> n{node.id};")
    return "\n".join([*lines, "}\n"])


def _pieces(
    flat: list[Scalar], formatter: Formatter, name: Callable[[int], str]
) -> tuple[list[tuple[str, str]], list[str]]:
    """Definitions of temporaries (name, text) and the texts of the outputs."""
    nodes = [x for x in flat if isinstance(x, Node)]
    if not nodes:
        return [], [repr(x) for x in flat]
    g = common_graph(nodes)
    order = reachable(g, (x.id for x in nodes))
    uses = dict.fromkeys(order, 0)
    for i in order:
        for x in g.operands(i):
            uses[x] += 1
    definitions: list[tuple[str, str]] = []
    done: dict[int, Piece] = {}
    for i in order:
        piece = formatter(g, i, [done[x] for x in g.operands(i)])
        used_again = uses[i] > 1 and g.op[i] > Op.VAR
        too_long = uses[i] > 0 and len(piece[0]) > _LONG
        if (used_again or too_long) and g.op[i] not in CONDITIONS:
            definitions.append((name(len(definitions)), piece[0]))
            piece = definitions[-1][0], TIGHTEST
        done[i] = piece
    return definitions, [done[x.id][0] if isinstance(x, Node) else repr(x) for x in flat]


def _leaf_number(value: float) -> Piece:
    text = repr(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)
    return text, TIGHTEST if value >= 0.0 else OPERATIONS[Op.NEG].binding


def _wrapped(piece: Piece, at_least: int) -> str:
    """A piece with parentheses if it holds together less tightly than needed."""
    return piece[0] if piece[1] >= at_least else f"({piece[0]})"


def _text_piece(g: Graph, i: int, operands: list[Piece]) -> Piece:
    op = Op(g.op[i])
    if op == Op.CONST:
        return _leaf_number(g.value(i))
    if op == Op.VAR:
        return _visible(g.variables[g.a[i]].name), TIGHTEST
    if op == Op.GATHER:
        return f"gather(table{g.b[i]}, {operands[0][0]})", TIGHTEST
    sign, level = OPERATIONS[op].printed, OPERATIONS[op].binding
    if op == Op.NEG:
        return f"-{_wrapped(operands[0], level + 1)}", level
    if level < TIGHTEST:
        right = level if op in (Op.ADD, Op.MUL) else level + 1
        return f"{_wrapped(operands[0], level)} {sign} {_wrapped(operands[1], right)}", level
    return f"{sign}({', '.join(x[0] for x in operands)})", TIGHTEST


def _latex_piece(g: Graph, i: int, operands: list[Piece]) -> Piece:
    op = Op(g.op[i])
    x = [piece[0] for piece in operands]
    if op == Op.CONST:
        text, level = _leaf_number(g.value(i))
        return re.sub(r"e([+-]?)0*(\d+)", r" \\cdot 10^{\1\2}", text), level
    if op == Op.VAR:
        return _latex_name(g.variables[g.a[i]].name), TIGHTEST
    if op == Op.DIV:
        return f"\\frac{{{x[0]}}}{{{x[1]}}}", TIGHTEST
    if op == Op.GATHER:
        return f"T_{{{g.b[i]}}}\\left[{x[0]}\\right]", TIGHTEST
    pattern, level = OPERATIONS[op].latex, OPERATIONS[op].binding
    if op == Op.NEG:
        return f"-{_latex_wrapped(operands[0], level + 1)}", level
    if level < TIGHTEST:
        right = level + 1 if op == Op.SUB else level
        parts = _latex_wrapped(operands[0], level), _latex_wrapped(operands[1], right)
        if op == Op.MUL and parts[1][0].isdigit():
            return f"{parts[0]} \\cdot {parts[1]}", level
        return f"{parts[0]} {pattern} {parts[1]}", level
    named = dict(zip("abc", x, strict=False))
    return pattern.format(x=", ".join(x), base=_latex_wrapped(operands[0], TIGHTEST), **named), TIGHTEST


def _latex_wrapped(piece: Piece, at_least: int) -> str:
    return piece[0] if piece[1] >= at_least else f"\\left({piece[0]}\\right)"


_GREEK = frozenset(
    ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu", "nu", "xi"]
    + ["pi", "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega"]
    + ["Gamma", "Delta", "Theta", "Lambda", "Xi", "Pi", "Sigma", "Phi", "Psi", "Omega"]
)
_LATEX_ESCAPES = {"\\": "\\backslash ", "{": "\\{", "}": "\\}", "^": "\\hat{}", "~": "\\sim "}


def _latex_name(name: str) -> str:
    """A variable's name in math mode; `q[0]` becomes q with an index."""
    match = re.fullmatch(r"(.+?)\[(\d+)\]", name)
    stem, index = (match[1], f"_{{{match[2]}}}") if match else (name, "")
    if stem in _GREEK:
        return f"\\{stem}{index}"
    if re.fullmatch(r"[A-Za-z]", stem):
        return stem + index
    safe = "".join(_LATEX_ESCAPES.get(c, f"\\{c}" if c in "#$%&_" else c) for c in _visible(stem))
    return f"\\mathrm{{{safe}}}{index}"


def _visible(name: str) -> str:
    """A name on one line, whatever it contains."""
    return name if name.isprintable() else repr(name)[1:-1]


def _dot_label(g: Graph, i: int) -> str:
    op = Op(g.op[i])
    label = _text_piece(g, i, [])[0] if op in (Op.CONST, Op.VAR) else OPERATIONS[op].printed
    return label.replace("\\", "\\\\").replace('"', '\\"')
