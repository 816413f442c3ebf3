"""Every product of every quantity and step by everything: against complex steps or differences, and by its laws.

`PYTHONPATH=tests python -m derivatives.everything [MECHANISM ...] [--of QUANTITY] [--done LOG]` prints the worst errors
of each quantity, but for those that a log has already. Work arrays are filled with NaN before each call, so that
nothing is read which nobody has written. LLVM makes plain code of it all, in a tenth of the time: ours is tested.
"""

import argparse
import ctypes
import tempfile
import time
import warnings
from contextlib import contextmanager
from functools import cache, cached_property
from pathlib import Path
from typing import NamedTuple

import llvmlite.binding as llvm
import numpy as np
import pytest

import anyjoint as aj
from anyjoint.model.change import SPRING, names
from anyjoint.model.redundancy import breaking
from anyjoint.quantity import QUANTITIES
from anyjoint.quantity.step import LOOKING_BACK, STEPS
from derivatives.every_mechanism import MECHANISMS, state
from derivatives.support import STEP, Interpreted, after, tangents

STEPPING = {quantity.name: quantity for quantity in (STEPS | LOOKING_BACK).values()}
EVERY = {**QUANTITIES, **STEPPING}
DT, SHORT = 1e-2, 2e-3  # of steps, and of those with contacts
LENGTHS = (1e-3, 2e-4, 4e-5, 4e-6, 4e-7, 1e-7)  # of differences, of which the best counts: contacts bend quickly
ENOUGH = 1e-9  # no further length is tried
SMALL = 1e-3  # beside the answer, or a thousandth: smaller derivatives are compared as if they were so large


def concerns(mech, name):
    """Whether a quantity says something about a mechanism, and has answers of a fixed form."""
    return bool(EVERY[name].outputs) and EVERY[name].concerns(mech)


def some_parameters(mech):
    """Names of the first and the last parameter of each sort; numbers of joints are all of a sort of their own."""
    sorts = {}
    for name in names(mech):
        sorts.setdefault(name if "/joint/" in name else name.rpartition("/")[2], []).append(name)
    return tuple(dict.fromkeys(name for found in sorts.values() for name in (found[0], found[-1])))


class Subject(NamedTuple):
    """A mechanism of the list: its model, another one whose parameters may change, and names of some of them."""

    model: aj.Model
    other: aj.Model
    parameters: tuple[str, ...]


class Case:
    """A quantity of a mechanism at a state, and what it is differentiated by."""

    def __init__(self, subject, name):
        self.model, self.other, parameters = model, _, _ = subject
        self.mech, self.name, self.quantity = model.mechanism, name, EVERY[name]
        q, v = state(self.mech, model)
        dt, rng = SHORT if self.mech.contacts else DT, np.random.default_rng(5)
        known = {"q": q, "v": v, "dt": [dt], "t": [0.0], "v_before": v}
        known["q_before"] = q - dt * np.asarray(model.coordinate_rates(q, v))
        self.rows = {row.name: row for row in self.quantity.given(self.mech)}
        self.point = {
            name: np.array(known.get(name, rng.normal(size=row.size(self.mech)))) for name, row in self.rows.items()
        }
        self.names = (*self.rows, *parameters)
        self.value = self.evaluate()

    @property
    def given(self):
        """The point as products take it."""
        return tuple(self.point.values())

    def evaluate(self, **moved):
        """The answer at the point, or beside it."""
        return np.array(self.other.program(self.quantity)(*(self.point | moved).values()))

    def way(self, name, d):
        """A change of an argument; of coordinates it is given as velocities see it."""
        return tangents(self.mech, self.point[name]).T @ d if self.rows[name].kind == "coordinates" else d

    def direction(self, name, rng, raw=False):
        """A random small change by name."""
        if name in self.rows:
            bent = self.rows[name].kind == "coordinates" and not raw
            size = self.mech.nv if bent else self.point[name].size
            return (0.1 * self.point[name] if name == "dt" else 1.0) * rng.normal(size=size)
        if name.endswith("/placement"):
            return 0.3 * rng.normal(size=6)
        old = np.asarray(self.model.parameters[name], dtype=float)
        d = 0.3 * max(np.abs(old).max(), 0.1) * rng.normal(size=old.shape)
        if name.rpartition("/")[2] in SPRING:  # none may be negative
            return np.abs(d)
        return np.abs(d).max() * np.eye(3) + 0.1 * (d + d.T) if name.endswith("/tensor") else d  # of a thicker solid

    def moved(self, name, d, e):
        """The answer after a change of size e along a direction."""
        if name in self.rows:
            return self.evaluate(**{name: self.point[name] + e * self.way(name, d)})
        before = self.other.parameters[name]
        self.other.parameters.set({name: after(name, before, e * d)})
        try:
            return self.evaluate()
        finally:
            self.other.parameters.set({name: before})

    def seen(self, rates):
        """Rates of the answer, coordinates among them as velocities see them."""
        sizes = [row.size(self.mech) for row in self.quantity.outputs]
        parts = [np.split(x, np.cumsum(sizes)[:-1]) for x in (rates, self.value)]
        turned = [
            np.linalg.pinv(tangents(self.mech, at).T) @ part if row.kind == "coordinates" else part
            for row, part, at in zip(self.quantity.outputs, *parts, strict=True)
        ]
        return np.concatenate(turned)

    def size(self, *numbers):
        """What errors are compared with."""
        return max(*(np.abs(x).max(initial=0.0) for x in numbers), SMALL * max(np.abs(self.value).max(), SMALL))

    def apart(self, found, expected):
        """Differences of a row and numbers by name, each beside the size of what is compared."""
        sizes = [np.size(x) for x in expected.values()]
        parts = np.split(found, np.cumsum(sizes)[:-1])
        return [self.off(part, x) for part, x in zip(parts, expected.values(), strict=True)]

    def off(self, found, expected):
        """A difference beside the size of what is compared."""
        found, expected = np.ravel(found), np.ravel(expected)
        return float(np.abs(found - expected).max(initial=0.0) / self.size(found, expected))

    # -- laws -------------------------------------------------------------------------------------------------------

    def errors(self):
        """Errors by law: those of jvp, of vjp beside jvp, of batches, of hvp."""
        rng, model, name = np.random.default_rng(2), self.model, self.name
        w, d = rng.normal(size=len(self.seen(self.value))), {x: self.direction(x, rng) for x in self.names}
        gradient = self.poisoned(lambda: model.vjp(name, self.given, w, wrt=self.names)[1])
        alone = self.poisoned(lambda: model.vjp(name, self.given, w)[1])
        yield "rows alone", max(self.off(alone[x], gradient[x]) for x in self.rows)
        batch = tuple(np.stack([x] * 3) for x in self.given)
        many = self.poisoned(lambda: model.vjp(name, batch, w, wrt=self.names)[1])
        yield "batch", max(self.off(many[x][1], gradient[x]) for x in self.names)
        zero = {x: np.zeros_like(way) for x, way in d.items()}
        for x, way in d.items():
            found = flat(self.poisoned(lambda x=x, way=way: model.jvp(name, self.given, zero | {x: way})[1]))
            yield f"jvp {x}", self.slope_error(x, way, found)
            if x in self.rows and name in QUANTITIES and EVERY[name].among != "touching":  # contacts are found in loops
                yield f"exact {x}", self.complex_error(x, way, found)
            terms = np.ravel(gradient[x]) * np.ravel(way)
            size = self.size(np.abs(w) @ np.abs(found), np.abs(terms).sum())
            yield f"vjp {x}", float(abs(w @ found - terms.sum()) / size)
        yield from self.second(rng)

    def slope_error(self, name, d, found):
        """Of rates along a direction, beside differences of fourth order."""
        return best(self.off(found, self.seen(slope(lambda e: self.moved(name, d, e), h))) for h in LENGTHS)

    def complex_error(self, name, d, found):
        """Of rates along a direction of an argument, beside a complex step through the interpreted program."""
        point = self.point | {name: self.point[name] + 1j * STEP * self.way(name, d)}
        return self.off(found, self.seen(np.imag(self.interpreted(*point.values())[0]) / STEP))

    @cached_property
    def interpreted(self):
        """The quantity on complex numbers."""
        return Interpreted(self.mech, self.name)

    def second(self, rng):
        """Second derivatives: symmetric, and along everything at once beside differences of gradients."""
        model, w = self.model, rng.normal(size=len(self.value))
        d, e = ({x: self.direction(x, rng, raw=True) for x in self.names} for _ in range(2))
        second = lambda u: self.poisoned(lambda: model.hvp(self.name, self.given, w, u, wrt=self.names, raw=True))  # noqa: E731
        one, two = second(d), second(e)
        terms = [np.concatenate([np.ravel(h[x]) * np.ravel(u[x]) for x in self.names]) for h, u in ((one, e), (two, d))]
        size = self.size(*(np.abs(x).sum() for x in terms))
        yield "symmetric", float(abs(terms[0].sum() - terms[1].sum()) / size)
        found = best(self.apart(slope(lambda e: self.gradient(w, d, e), h), one) for h in LENGTHS)
        yield from ((f"hvp {x}", error) for x, error in zip(self.names, found, strict=True))

    def gradient(self, w, d, e):
        """The gradient after changes of size e of everything, in the chart of each placement about where it was."""
        before = {x: self.model.parameters[x] for x in self.names if x not in self.rows}
        self.model.parameters.set({x: after(x, at, e * d[x]) for x, at in before.items()} if e else before)
        try:
            point = tuple(at + e * d[x] for x, at in self.point.items())
            found = self.model.vjp(self.name, point, w, wrt=self.names, raw=True)[1]
        finally:
            self.model.parameters.set(before)
        for x in found:
            found[x] = bent(e * d[x]).T @ found[x] if x.endswith("/placement") else np.ravel(found[x])
        return flat(found)

    def poisoned(self, call):
        """The answer of a call whose programs find NaN in their work arrays; it must be what it was before."""
        first = call()
        for program in self.model.products.programs:
            for width in {1, program.code.target.width}:
                size = program.code.schedule.work * width * self.model.dtype.itemsize
                ctypes.memset(program.code.work(width), 0xFF, size)
        assert np.array_equal(flat(first), flat(call())), "a product reads what nobody has written"
        return first


def flat(answer):
    """All numbers of an answer in one row."""
    parts = list(answer.values()) if isinstance(answer, dict) else answer if isinstance(answer, tuple) else (answer,)
    return np.concatenate([np.ravel(part) for part in parts])


def bent(xi):
    """How exp(xi + d) = exp(xi) exp(J d) goes with d: the right Jacobian of twists, by its series."""
    (x, y, z), (a, b, c) = xi[:3], xi[3:]
    turn, shift = (np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]]) for x, y, z in ((x, y, z), (a, b, c)))
    ad = np.block([[turn, np.zeros((3, 3))], [shift, turn]])
    term = total = np.eye(6)
    for k in range(2, 8):
        term = -term @ ad / k
        total = total + term
    return total


def best(errors):
    """The least error, or the first that is small; each of several."""
    least = np.inf
    for error in errors:
        least = np.minimum(least, error)
        if np.max(least) < ENOUGH:
            break
    return least


def slope(f, h):
    """By differences of fourth order; on one side where the other is forbidden."""
    try:
        return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h)
    except aj.InputError:
        side = [f(k * h) for k in range(5)]
        return (-25 * side[0] + 48 * side[1] - 36 * side[2] + 16 * side[3] - 3 * side[4]) / (12 * h)


@cache
def _choose_instructions_as_ever():
    """Products and sums are fused in plain code as in other code, one state or several, to the same bits."""
    llvm.set_option("", "-fast-isel=false")


@contextmanager
def plain_code():
    """LLVM makes code quickly meanwhile; objects are kept apart, since their names do not tell how it chooses."""
    _choose_instructions_as_ever()
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as folder:
        patch.setenv("ANYJOINT_CACHE", folder)
        patch.setenv("ANYJOINT_CODE", "quick")
        yield


def subject_of(mechanism):
    """A mechanism of the list, and what it is differentiated by."""
    mech = MECHANISMS[mechanism]()
    model, chosen = mech.compile(), some_parameters(mech)
    if mech.constraints:  # some parameters make redundant rows independent
        moving = [name for name in chosen if name.endswith("/placement") or "/joint/" in name]
        without = breaking(model, state(mech, model)[0], None, moving)
        chosen = tuple(name for name in chosen if name not in without)
    return Subject(mech.compile(vary=chosen), mech.compile(vary=chosen), chosen)


def worst_errors(case):
    """The worst error of each law, and by what."""
    worst = {}
    for law, error in case.errors():
        kind = law.split()[0]
        worst[kind] = max(worst.get(kind, (0.0, law)), (error, law))
    return worst


def told(subject, name):
    """The worst errors of a quantity in a line, with the seconds that it took."""
    begin = time.process_time()
    try:
        cells = [f"{law} {error:.1e}" for error, law in worst_errors(Case(subject, name)).values()]
    except (aj.AnyjointError, AssertionError) as error:  # the next quantity may do
        cells = [f"{type(error).__name__}: {error}"]
    return f"{'  '.join(cells)}  ({time.process_time() - begin:.1f} s)"


def main():
    """Print the worst errors of every quantity by law."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("mechanisms", nargs="*", default=list(MECHANISMS))
    parser.add_argument("--of", action="append", help="a quantity or step; all by default")
    parser.add_argument("--done", type=Path, help="what an earlier run has printed, which need not be done again")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    lines = given.done.read_text().splitlines() if given.done and given.done.exists() else []
    done = {tuple(part.strip() for part in line.split("|")[:2]) for line in lines}
    for mechanism in given.mechanisms:
        with plain_code():
            subject = subject_of(mechanism)
            print(f"{mechanism}: by {', '.join(subject.parameters)}", flush=True)
            for name in given.of or EVERY:
                if concerns(subject.model.mechanism, name) and (mechanism, name) not in done:
                    print(f"{mechanism:12} | {name:28} | {told(subject, name)}", flush=True)


if __name__ == "__main__":
    main()
