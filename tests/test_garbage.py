"""Garbage collection waits, and comes back."""

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest

from anyjoint.garbage import postponed


@pytest.fixture(autouse=True)
def _thawed() -> Iterator[None]:
    """As for users: the test run has frozen what it collected."""
    gc.unfreeze()
    yield
    gc.freeze()


def test_it_waits_and_comes_back_whatever_happens() -> None:
    def fails() -> None:
        with postponed():
            with postponed():
                assert not gc.isenabled()
            assert not gc.isenabled()
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fails()
    assert gc.isenabled()


def test_what_is_off_stays_off() -> None:
    gc.disable()
    try:
        with postponed():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_modules_join_the_oldest_objects(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a collection: neither in the block nor at the first object after it."""
    (tmp_path / "large_module.py").write_text("THINGS = [[] for _ in range(10_000)]")
    monkeypatch.syspath_prepend(tmp_path)
    collections: list[str] = []
    gc.callbacks.append(lambda phase, info: collections.append(phase))
    try:
        with postponed():
            import large_module
        after = [[] for _ in range(100)]
    finally:
        gc.callbacks.pop()
    oldest = {id(thing) for thing in gc.get_objects(generation=2)}
    assert id(large_module.THINGS[-1]) in oldest
    assert not collections
    assert len(after) == 100


def test_what_somebody_froze_stays_frozen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "another_module.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    gc.freeze()
    with postponed():
        import another_module  # noqa: F401
    assert gc.get_freeze_count()
