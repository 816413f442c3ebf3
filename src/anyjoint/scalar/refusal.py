"""What scalars that are not plain numbers answer to code that wants a plain number."""

from anyjoint.errors import ConversionError

INSTEAD = {
    "float": "leave float() out and use aj.sin, ... or np.sin, ... instead of math; aj.compile_function gives values",
    "int": "use aj.floor(x)",
    "index": "use aj.gather(table, x) to look it up in a table; a loop needs a fixed length",
    "round": "use aj.floor(x + 0.5)",
}

NO_EQUALITY = (
    "an expression stands for any value, so `x == y` and `x != y` say nothing about it: use aj.select(abs(x - y) < "
    "tolerance, value_if_equal, value_otherwise), or aj.select(x < y, ...)"
)


def refused(what: str, scalar: str) -> ConversionError:
    """The error for float(x), int(x), round(x), or x as an index, where x is the scalar described."""
    wanted = "an index" if what == "index" else f"the argument of {what}()"
    return ConversionError(f"{scalar} cannot be {wanted}: {INSTEAD[what]}")
