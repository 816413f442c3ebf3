"""How many operations derivatives need by D*, forward mode, reverse mode and the automatic choice.

Counts are those of the values and the derivatives together, each shared operation once.
Run: python bench/derivative_size.py
"""

import random
import time
from collections.abc import Callable
from typing import Any

from anyjoint.symbolic.derivative import jacobian
from anyjoint.symbolic.graph import Graph
from anyjoint.symbolic.node import Node, variables
from anyjoint.symbolic.partials import count_operations
from anyjoint.symbolic.simplify import merge_identities

Case = tuple[list[Node], list[Node]]  # outputs, variables
METHODS = ("forward", "reverse", "dstar", "auto")


def cross(a: Any, b: Any) -> list[Any]:
    """The cross product."""
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def unit(a: Any) -> list[Any]:
    """a / |a|."""
    length = (a[0] * a[0] + a[1] * a[1] + a[2] * a[2]).sqrt()
    return [x / length for x in a]


def torus_frame(derivatives: int, merged: bool) -> Case:
    """Point and frame [p0, n x p0, n] of a torus with its derivatives, up to one order below the measured one."""
    g = Graph()
    u, v = variables("u", 2, graph=g, domain=(-3.0, 3.0))
    big, small = g.variable("R", (1.0, 2.0)), g.variable("r", (0.1, 0.9))
    ring = big + small * v.cos()
    point = [ring * u.cos(), ring * u.sin(), small * v.sin()]
    j = jacobian(point, [u, v])
    p0, n = unit(j[:, 0]), unit(cross(j[:, 0], j[:, 1]))
    outputs = [*point, *p0, *cross(n, p0), *n]
    for _ in range(derivatives):
        outputs = [*outputs, *jacobian(outputs, [u, v]).flat]
    return merge_identities(outputs) if merged else outputs, [u, v]


def spherical_harmonics(order: int) -> Case:
    """All real solid harmonics up to an order (without normalisation) as polynomials in x, y, z."""
    x, y, z = p = variables("p", 3)
    square = x * x + y * y + z * z
    legendre: dict[tuple[int, int], Any] = {}
    for m in range(order + 1):
        legendre[m, m] = legendre[m - 1, m - 1] * (1.0 - 2.0 * m) if m else x.graph.constant(1.0)
        for k in range(m + 1, order + 1):
            before = legendre[k - 2, m] * square * (k + m - 1.0) if k > m + 1 else 0.0
            legendre[k, m] = (z * legendre[k - 1, m] * (2.0 * k - 1.0) - before) / float(k - m)
    cosine, sine = [x.graph.constant(1.0)], [x.graph.constant(0.0)]
    for _ in range(order):
        cosine.append(x * cosine[-1] - y * sine[-1])
        sine.append(x * sine[-1] + y * cosine[-2])
    outputs = [legendre[k, m] * part[m] for k in range(order + 1) for m in range(k + 1) for part in (cosine, sine)]
    return outputs, list(p)


def chebyshev(order: int, last_only: bool) -> Case:
    """Chebyshev polynomials by their recurrence."""
    (x,) = variables("x", 1)
    t = [x.graph.constant(1.0), x]
    while len(t) <= order:
        t.append(2.0 * x * t[-1] - t[-2])
    return t[-1:] if last_only else t, [x]


def hinge_chain(length: int) -> Case:
    """The end pose of a chain of hinges about z, with a twist about x and an offset in between."""
    q = variables("q", length)
    rotation: list[list[Any]] = [[1.0 if i == j else 0.0 for j in range(3)] for i in range(3)]
    place: list[Any] = [0.0, 0.0, 0.0]
    for k in range(length):
        c, s, a, b = q[k].cos(), q[k].sin(), 0.6, 0.8
        turn = [[c, -s, 0.0], [s * a, c * a, -b], [s * b, c * b, a]]
        rotation = [[sum(row[i] * turn[i][j] for i in range(3)) for j in range(3)] for row in rotation]
        place = [p + row[0] * 0.5 + row[2] * 0.25 for p, row in zip(place, rotation, strict=True)]
    return [*place, *(entry for row in rotation for entry in row)], list(q)


def random_polynomials(seed: int) -> Case:
    """A random graph of sums, products, sines and quotients with 2 to 6 variables and outputs."""
    rng = random.Random(seed)
    n, m = rng.randint(2, 6), rng.randint(2, 6)
    x = list(variables("x", n))
    pool = list(x)
    for _ in range(rng.randint(10, 60)):
        a, b = rng.choice(pool[-12:]), rng.choice(pool[-12:])
        pool.append(
            rng.choice((lambda a, b: a * b, lambda a, b: a + b * b, lambda a, b: a.sin() * b, lambda a, b: a / b))(a, b)
        )
    return pool[-m:], x


def measure(case: Case) -> tuple[int, dict[str, int], dict[str, float]]:
    """Operations of the values, and per method operations of values and Jacobian, and seconds."""
    outputs, x = case
    g = x[0].graph
    count, seconds = {}, {}
    for method in METHODS:
        start = time.perf_counter()
        j = jacobian(outputs, x, method)
        seconds[method] = time.perf_counter() - start
        count[method] = count_operations(g, [node.id for node in (*outputs, *j.flat) if isinstance(node, Node)])
    return count_operations(g, [node.id for node in outputs if isinstance(node, Node)]), count, seconds


CASES: dict[str, Callable[[], Case]] = {
    "torus frame: first": lambda: torus_frame(0, False),
    "torus frame: second": lambda: torus_frame(1, False),
    "identities merged: first": lambda: torus_frame(0, True),
    "identities merged: second": lambda: torus_frame(1, True),
    "spherical harmonics to 10": lambda: spherical_harmonics(10),
    "Chebyshev to 20": lambda: chebyshev(20, False),
    "Chebyshev 20 alone": lambda: chebyshev(20, True),
    "20 hinges, end pose": lambda: hinge_chain(20),
}


def main() -> None:
    """Print the table."""
    print(
        f"{'operations':28}{'values':>8}" + "".join(f"{m:>9}" for m in METHODS) + f"{'auto/best':>11}{'auto, ms':>10}"
    )
    for name, build in CASES.items():
        _row(name, *measure(build()))
    total: dict[str, int] = dict.fromkeys(METHODS, 0)
    values, worse, better, took = 0, 0, 0, 0.0
    for seed in range(200):
        size, count, seconds = measure(random_polynomials(seed))
        best = min(count["forward"], count["reverse"])
        worse += count["auto"] > best
        better += count["auto"] < best
        values, took = values + size, took + seconds["auto"]
        total = {method: total[method] + count[method] for method in METHODS}
    _row("200 random graphs, total", values, total, {"auto": took})
    print(f"random graphs where auto is smaller than forward and reverse: {better}, larger: {worse}")


def _row(name: str, values: int, count: dict[str, int], seconds: dict[str, float]) -> None:
    ratio = count["auto"] / min(count["forward"], count["reverse"])
    print(
        f"{name:28}{values:8}"
        + "".join(f"{count[m]:9}" for m in METHODS)
        + f"{ratio:11.3f}{seconds['auto'] * 1e3:10.1f}"
    )


if __name__ == "__main__":
    main()
