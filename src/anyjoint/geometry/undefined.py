"""Where a user's function breaks down: what Python's arithmetic raises there, as a sentence about the place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from anyjoint.errors import AnyjointError, InputError, SingularityError
from anyjoint.scalar import Scalar, plain

# What `math` says where a function has no value; other ValueErrors are mistakes in the function, not places.
NO_VALUE = ("math domain error", "math range error", "expected a ")


@contextmanager
def defined_at(where: str, q: Sequence[Scalar]) -> Iterator[None]:
    """Turn the errors of arithmetic at coordinates q into a SingularityError that says what to do."""
    try:
        yield
    except (ZeroDivisionError, OverflowError, FloatingPointError) as error:
        raise SingularityError(_sentence(where, q, error)) from error
    except InputError as error:
        if "must be finite" not in str(error):  # a pose made of NaN, as NumPy gives it where `math` raises
            raise
        raise SingularityError(_sentence(where, q, error)) from error
    except ValueError as error:
        if isinstance(error, AnyjointError) or not str(error).startswith(NO_VALUE):
            raise
        raise SingularityError(_sentence(where, q, error)) from error


def _sentence(where: str, q: Sequence[Scalar], error: Exception) -> str:
    values = [plain(x) for x in q]
    place = "" if any(x is None for x in values) else f" at {[float(f'{x:.9g}') for x in values if x is not None]}"
    return (
        f"{where} is not defined{place} ({error}); keep away from there: say with domain= where it is used, and with "
        "defined= where it has a value"
    )
