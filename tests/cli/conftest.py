"""The command line, called as a user does."""

import sys

import pytest

from anyjoint import cli


@pytest.fixture
def anyjoint(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]):  # type: ignore[no-untyped-def]
    def call(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["anyjoint", *map(str, arguments)])
        with pytest.raises(SystemExit) as exit_info:
            cli.main()
        out, err = capfd.readouterr()
        return int(exit_info.value.code or 0), out, err

    return call
