"""All passes between the expressions of kernels and printed text, by name, in the order in which they run.

The functions below the list are the only ones that run passes. What enters and what leaves is verified: schedules by
`check_schedule`, kernels by `check_kernel`, listings by `verify`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from anyjoint.codegen.ahead import ahead
from anyjoint.codegen.complete import completed
from anyjoint.codegen.cut import WHOLE, WITH_LIMBS, cut, length
from anyjoint.codegen.grouped import AT_ONCE, SIZES, gathered, grouped
from anyjoint.codegen.hoist import hoisted
from anyjoint.codegen.identities import without_identities
from anyjoint.codegen.ir import LEAVES, LONG, Listing, lower
from anyjoint.codegen.kernel import Kernel, Schedule
from anyjoint.codegen.merge import merged
from anyjoint.codegen.pack import Step, has_limbs, packed
from anyjoint.codegen.reload import reloaded
from anyjoint.codegen.target import Target

ROWS, ROWS_OF_STATES = 4, 2  # computed at a time, of eight columns and of four, so that eight sums fill the registers


class Pass(NamedTuple):
    """What a pass does, and where."""

    name: str
    when: str
    does: str


def passes() -> tuple[Pass, ...]:
    """All passes, in order."""
    return (
        Pass("ahead", "schedules", "sines and cosines that depend on inputs and numbers alone, before the first run"),
        Pass("merge", "schedules", "kernels that do the same as one"),
        Pass("identities", "derivatives of general joints", "subexpressions that are equal as one"),
        Pass("complete", "programs", "zeros where no run writes the result"),
        Pass("lower", "kernels", "expressions as statements in order; sine and cosine of one angle become one"),
        Pass("cut", "more than 6,000 statements", "pieces of 2,500, which pass values on through an array"),
        Pass("group", "columns, states side by side", "several columns at once, so that rows are stored as vectors"),
        Pass("hoist", "one state", "sines and cosines to the front, where they are computed side by side"),
        Pass("gather", "lanes that lie apart", "stores to places beside each other together, to be transposed"),
        Pass("reload", "columns", "rows of products, a few at a time, with loads of their own"),
        Pass("pack", "long code, one state", "limbs that are alike as lanes of vectors"),
    )


def over_schedule(schedule: Schedule) -> Schedule:
    """The passes over schedules: "ahead", "merge"."""
    return merged(ahead(schedule))


def over_derivatives(schedule: Schedule) -> Schedule:
    """Those over derivatives of schedules, in which sines are ahead already: "merge"."""
    return merged(schedule)


def over_derivatives_of_joints(schedule: Schedule) -> Schedule:
    """Those over derivatives in which there are functions of general joints: "identities"."""
    return without_identities(schedule)


def over_program(schedule: Schedule, size: int) -> Schedule:
    """The pass over what is called as a whole, with a result of so many numbers: "complete"."""
    return completed(schedule, size)


def in_pieces(kernel: Kernel, name: str) -> tuple[tuple[Listing, ...], int]:
    """A kernel as listings that run one after the other and share so many values: "lower", "cut"."""
    listing = lower(kernel, name)
    whole = WITH_LIMBS if WHOLE < length(listing) <= WITH_LIMBS and has_limbs(listing) else WHOLE
    return cut(listing, whole=whole)


def of_columns(listing: Listing, count: int) -> Listing:
    """A listing of one column as that of several, where lanes are states: "group", "gather", "reload"."""
    return reloaded(gathered(grouped(listing, count), SIZES[0], states=True), ROWS_OF_STATES)


def for_text(listing: Listing) -> Listing:
    """A listing as it is printed in a language that computes sines side by side: "hoist"."""
    return hoisted(listing)


def for_printing(listing: Listing, target: Target, columns: int) -> tuple[Listing, Sequence[Step]]:
    """A listing as it is printed, and its statements and packs: "hoist", "gather", "reload", "pack"."""
    if target.width == 1:
        listing = hoisted(listing)
    if columns > 1:
        listing = reloaded(gathered(listing, AT_ONCE, states=False), ROWS)
    elif target.width > 1:
        listing = gathered(listing, SIZES[0], states=True)
    long = sum(s.op not in LEAVES for s in listing.statements) > LONG
    one_by_one = target.width == 1 and columns == 1
    return listing, packed(listing) if long and one_by_one else listing.statements
