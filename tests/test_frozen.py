"""Frozen dataclasses are those of `dataclasses`, function by function."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from dataclasses import dataclass, field
from typing import Any

import pytest

from anyjoint.frozen import frozen


@frozen
class Quick:
    """One of ours."""

    a: int
    b: list[int] = field(default_factory=list, compare=False)
    c: str = field(default="c", repr=False)
    d: float = field(default=0.5, kw_only=True)
    made: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "made", self.a + 1)


@dataclass(frozen=True)
class Slow:
    """The same of `dataclasses`."""

    a: int
    b: list[int] = field(default_factory=list, compare=False)
    c: str = field(default="c", repr=False)
    d: float = field(default=0.5, kw_only=True)
    made: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "made", self.a + 1)


@frozen
class Child(Quick):
    """A child of one of ours."""

    e: int = 7


@dataclass(frozen=True)
class Stranger(Quick):
    """A user's own frozen dataclass on one of ours."""

    e: int = 7


@frozen(eq=False)
class Itself:
    """Equal to nothing else."""

    a: int = 0


@frozen
class Nothing:
    """No fields."""


def both(*args: Any, **given: Any) -> tuple[Any, Any]:
    return Quick(*args, **given), Slow(*args, **given)


def test_signature_is_there_before_the_first_object() -> None:
    assert list(inspect.signature(Child).parameters) == ["a", "b", "c", "e", "d"]  # d by its name only
    assert str(inspect.signature(Quick)) == str(inspect.signature(Slow))


@pytest.mark.parametrize("args", [(1,), (1, [2]), (1, [2], "x")])
@pytest.mark.parametrize("given", [{}, {"d": 2.0}])
def test_objects_are_those_of_dataclasses(args: tuple[Any, ...], given: dict[str, Any]) -> None:
    quick, slow = both(*args, **given)
    assert vars(quick) == vars(slow)
    assert repr(quick) == repr(slow).replace("Slow", "Quick")
    assert hash(quick) == hash(slow)
    assert quick == Quick(*args, **given) != Quick(9, *args[1:], **given)
    assert quick != slow
    assert quick != Child(*args, **given)
    assert dataclasses.asdict(quick) == dataclasses.asdict(slow)
    assert dataclasses.replace(quick, a=5) == Quick(5, *args[1:], **given)
    assert pickle.loads(pickle.dumps(quick)) == copy.deepcopy(quick) == quick  # noqa: S301 (our own)


def test_factories_make_a_new_object_each_time() -> None:
    assert Quick(1).b is not Quick(1).b


@pytest.mark.parametrize(("args", "given"), [((), {}), ((1, [], "c", 0.5), {}), ((1,), {"a": 1}), ((1,), {"x": 1})])
def test_wrong_arguments_are_told_as_dataclasses_tells_them(args: tuple[Any, ...], given: dict[str, Any]) -> None:
    with pytest.raises(TypeError) as slow:
        Slow(*args, **given)
    with pytest.raises(TypeError) as quick:
        Quick(*args, **given)
    assert str(quick.value) == str(slow.value).replace("Slow", "Quick")


@pytest.mark.parametrize("thing", [Quick(1), Child(1), Stranger(1), Itself(), Nothing()], ids=repr)
def test_nothing_can_be_changed(thing: Any) -> None:
    for name in ("a", "new"):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(thing, name, 3)
        with pytest.raises(dataclasses.FrozenInstanceError):
            delattr(thing, name)


def test_children_have_their_own_fields_and_functions() -> None:
    for kind in (Child, Stranger):
        child = kind(1, e=2)
        assert (child.a, child.e, child.made) == (1, 2, 2)
        assert child == kind(1, e=2) != kind(1, e=3)
        assert repr(child) == f"{kind.__name__}(a=1, b=[], d=0.5, made=2, e=2)"


def test_what_is_compared_can_be_nothing_or_the_object_itself() -> None:
    assert Nothing() == Nothing()
    assert hash(Nothing()) == hash(())
    one = Itself()
    assert one == one
    assert one != Itself()
    assert {one: 1}[one] == 1


def test_patterns_match() -> None:
    match Quick(3, [4]):
        case Quick(a, b):
            assert (a, b) == (3, [4])


def test_one_that_holds_itself_can_be_shown() -> None:
    thing = Quick(1)
    thing.b.append(thing)  # type: ignore[arg-type]
    assert repr(thing) == "Quick(a=1, b=[...], d=0.5, made=2)"
