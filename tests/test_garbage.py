"""Garbage collection waits, and comes back."""

import gc

import pytest

from anyjoint.garbage import postponed


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
