"""Records that wait for their methods are the standard library's in everything that can be seen."""

import dataclasses
import inspect
import pickle
import threading
from dataclasses import field

import pytest

from anyjoint.records import _Holder, dataclass


def pair(decorate):
    """A record and one that is derived from it, made by a decorator."""

    @decorate(frozen=True)
    class Base:
        """A base."""

        x: float
        names: list = field(default_factory=list, repr=False, compare=False)

    @decorate(frozen=True, kw_only=True)
    class Point(Base):
        """A point."""

        y: float = 2.0
        z: float = field(init=False, default=3.0)

        def __post_init__(self):
            object.__setattr__(self, "z", self.x + self.y)

        def __repr__(self):
            return "mine " + str(self.z)

    return Base, Point


OURS, THEIRS = pair(dataclass), pair(dataclasses.dataclass)


@dataclass(frozen=True)
class Travelling:
    """For pickles, which find it by name."""

    x: float


def test_equal_to_the_standard_library() -> None:
    for ours, theirs in zip(OURS, THEIRS, strict=True):
        assert inspect.signature(ours) == inspect.signature(theirs)
        assert [f.name for f in dataclasses.fields(ours)] == [f.name for f in dataclasses.fields(theirs)]
        assert repr(ours(1.0)).split(".")[-1] == repr(theirs(1.0)).split(".")[-1]
        assert hash(ours(1.0)) == hash(theirs(1.0))
        assert ours(1.0, [1]) == ours(1.0) != ours(2.0)
        assert ours.__match_args__ == theirs.__match_args__
        assert dataclasses.replace(ours(1.0), x=4.0).x == 4.0
        assert {name for name in vars(ours) if name != "__weakref__"} == {
            name for name in vars(theirs) if name != "__weakref__"
        }


def test_waits_and_is_frozen() -> None:
    @dataclass(frozen=True)
    class Late:
        x: int = 1

        def __eq__(self, other):
            return isinstance(other, Late)

    assert isinstance(vars(Late)["__init__"], _Holder)
    made = Late()
    assert not isinstance(vars(Late)["__init__"], _Holder)
    assert hash(made) == hash((1,))
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign to field 'x'"):
        made.x = 2
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot delete field 'x'"):
        del made.x
    with pytest.raises(TypeError, match="unexpected keyword argument 'y'"):
        Late(y=3)


def test_what_comes_from_a_pickle_is_frozen_at_once() -> None:
    data = pickle.dumps(Travelling(1.0))
    with pytest.raises(dataclasses.FrozenInstanceError):
        pickle.loads(data).x = 2.0  # noqa: S301 (our own)


def test_threads_see_whole_classes() -> None:
    def use(kind, results):
        results.append(kind(1.0).x)

    for _ in range(50):
        Base, Point = pair(dataclass)
        results: list[float] = []
        threads = [threading.Thread(target=use, args=(kind, results)) for kind in (Point, Base) * 4]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert results == [1.0] * 8
