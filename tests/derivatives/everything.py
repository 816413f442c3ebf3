"""Every product of every quantity and step by everything: against complex steps or differences, and by its laws.

`PYTHONPATH=tests python -m derivatives.everything [MECHANISM ...] [--of QUANTITY]` prints the worst errors of each
quantity. Work arrays are filled with NaN before each call, so that nothing is read which nobody has written.
"""

import argparse
import ctypes
import time
import warnings

import numpy as np

import anyjoint as aj
from anyjoint.model.change import SPRING, names
from anyjoint.model.redundancy import breaking
from anyjoint.quantity import QUANTITIES
from anyjoint.quantity.step import LOOKING_BACK, STEPS
from derivatives.every_mechanism import MECHANISMS, state
from derivatives.support import STEP, Interpreted, after, tangents

STEPPING = {quantity.name: quantity for quantity in (STEPS | LOOKING_BACK).values()}
EVERY = QUANTITIES | STEPPING
DT, SHORT = 1e-2, 2e-3  # of steps, and of those with contacts
LENGTHS = (1e-3, 2e-4, 4e-5, 4e-6, 4e-7)  # of differences, of which the best counts: contacts bend quickly
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


class Case:
    """A quantity of a mechanism at a state, and what it is differentiated by."""

    def __init__(self, model, name, parameters):
        self.model, self.mech, self.name, self.quantity = model, model.mechanism, name, EVERY[name]
        self.other = model.mechanism.compile(vary=parameters)  # whose parameters may change
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
        return min(self.off(found, self.seen(slope(lambda e: self.moved(name, d, e), h))) for h in LENGTHS)

    def complex_error(self, name, d, found):
        """Of rates along a direction of an argument, beside a complex step through the interpreted program."""
        point = self.point | {name: self.point[name] + 1j * STEP * self.way(name, d)}
        return self.off(found, self.seen(np.imag(Interpreted(self.mech, self.name)(*point.values())[0]) / STEP))

    def second(self, rng):
        """Second derivatives: symmetric, and by arguments beside differences of gradients."""
        model, w = self.model, rng.normal(size=len(self.value))
        d, e = ({x: self.direction(x, rng, raw=True) for x in self.names} for _ in range(2))
        second = lambda u: self.poisoned(lambda: model.hvp(self.name, self.given, w, u, wrt=self.names, raw=True))  # noqa: E731
        one, two = second(d), second(e)
        terms = [np.concatenate([np.ravel(h[x]) * np.ravel(u[x]) for x in self.names]) for h, u in ((one, e), (two, d))]
        size = self.size(*(np.abs(x).sum() for x in terms))
        yield "symmetric", float(abs(terms[0].sum() - terms[1].sum()) / size)

        def gradient(h):
            point = tuple(at + h * d[x] for x, at in self.point.items())
            found = model.vjp(self.name, point, w, wrt=self.names, raw=True)[1]
            return flat({x: found[x] for x in self.rows})

        found = second({x: d[x] if x in self.rows else np.zeros_like(d[x]) for x in self.names})
        yield "hvp", min(self.off(flat({x: found[x] for x in self.rows}), slope(gradient, h)) for h in LENGTHS)

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


def slope(f, h):
    """By differences of fourth order; on one side where the other is forbidden."""
    try:
        return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h)
    except aj.InputError:
        side = [f(k * h) for k in range(5)]
        return (-25 * side[0] + 48 * side[1] - 36 * side[2] + 16 * side[3] - 3 * side[4]) / (12 * h)


def model_of(mechanism):
    """A mechanism of the list, and names of parameters that it is differentiated by."""
    mech = MECHANISMS[mechanism]()
    model, chosen = mech.compile(), some_parameters(mech)
    if mech.constraints:  # some parameters make redundant rows independent
        moving = [name for name in chosen if name.endswith("/placement") or "/joint/" in name]
        without = breaking(model, state(mech, model)[0], None, moving)
        chosen = tuple(name for name in chosen if name not in without)
    return mech.compile(vary=chosen), chosen


def worst_errors(case):
    """The worst error of each law, and by what."""
    worst = {}
    for law, error in case.errors():
        kind = law.split()[0]
        worst[kind] = max(worst.get(kind, (0.0, law)), (error, law))
    return worst


def main():
    """Print the worst errors of every quantity by law."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("mechanisms", nargs="*", default=list(MECHANISMS))
    parser.add_argument("--of", action="append", help="a quantity or step; all by default")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    for mechanism in given.mechanisms:
        model, chosen = model_of(mechanism)
        print(f"{mechanism}: by {', '.join(chosen)}", flush=True)
        for name in given.of or EVERY:
            if not concerns(model.mechanism, name):
                continue
            begin = time.perf_counter()
            try:
                worst = worst_errors(Case(model, name, chosen)).values()
                cells = "  ".join(f"{law} {error:.1e}" for error, law in worst)
            except (aj.AnyjointError, AssertionError) as error:  # the next quantity may do
                cells = f"{type(error).__name__}: {error}"
            print(f"  {name:28} {cells}  ({time.perf_counter() - begin:.0f} s)", flush=True)


if __name__ == "__main__":
    main()
