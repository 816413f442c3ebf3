"""The object cache: found again, private, never trusted blindly, safe for several processes."""

import os
import stat
import subprocess
import sys

import numpy as np
import pytest

from anyjoint.codegen import cache, compile_function
from anyjoint.symbolic import variables

SCRIPT = """
import sys
import numpy as np
from anyjoint.codegen import compile_function
from anyjoint.symbolic import variables
x = variables("x", 2)
for k in range(4):
    f = compile_function([x], [x[0] * float(k + 2) + x[1].sin()])
    assert abs(f(np.array([1.0, 0.5]))[0] - (k + 2 + np.sin(0.5))) < 1e-15
print("fine")
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    function()  # what a process finds out once goes into its own cache, not into this one
    path = tmp_path / "cache"
    monkeypatch.setenv("ANYJOINT_CACHE", str(path))
    return path


def function(scale=3.0):
    x = variables("x", 2)
    f = compile_function([x], [scale * x[0] + x[1]])
    assert f(np.array([1.0, 2.0]))[0] == scale + 2
    return f


def entries(folder):
    return sorted(path for path in folder.iterdir() if path.is_file())


def test_the_second_time_is_a_load(folder):
    assert not function().library.cached
    assert function().library.cached
    assert not function(4.0).library.cached
    assert len(entries(folder)) == 2


def test_names_do_not_matter_to_the_cache(folder):
    for name, cached in (("first", False), ("second", True)):
        x = variables(name, 1)
        assert compile_function([x], [x[0] * 5.0]).library.cached is cached


def test_the_folder_and_its_entries_are_private(folder):
    function()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert all(stat.S_IMODE(path.stat().st_mode) & 0o077 == 0 for path in entries(folder))


@pytest.mark.parametrize("setting", ["off", "0", "OFF"])
def test_it_can_be_switched_off(tmp_path, monkeypatch, setting):
    monkeypatch.setenv("ANYJOINT_CACHE", setting)
    monkeypatch.chdir(tmp_path)
    assert cache.directory() is None
    assert not function().library.cached
    assert not function().library.cached
    assert list(tmp_path.iterdir()) == []


def test_the_default_is_the_users_cache_folder(tmp_path, monkeypatch):
    monkeypatch.delenv("ANYJOINT_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache.directory() == tmp_path / "anyjoint"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative/is/ignored")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache.directory() == tmp_path / ".cache" / "anyjoint"


@pytest.mark.parametrize("mode", [0o777, 0o755, 0o770, 0o701])
def test_an_open_folder_is_not_used(folder, mode):
    folder.mkdir()
    folder.chmod(mode)
    assert cache.directory() is None
    assert not function().library.cached
    assert entries(folder) == []


def test_a_link_is_not_followed(folder, tmp_path):
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    folder.symlink_to(tmp_path / "elsewhere")
    assert cache.directory() is None
    function()
    assert entries(tmp_path / "elsewhere") == []


def test_a_folder_of_somebody_else_is_not_used(folder, monkeypatch):
    folder.mkdir(mode=0o700)
    monkeypatch.setattr(os, "getuid", lambda: folder.stat().st_uid + 1)
    assert cache.directory() is None


def test_a_file_in_its_place_is_not_used(folder):
    folder.write_text("not a folder")
    assert cache.directory() is None
    assert not function().library.cached


def damage_by_truncation(data):
    return data[: len(data) // 2]


def damage_by_one_bit(data):
    return data[:-20] + bytes([data[-20] ^ 1]) + data[-19:]


@pytest.mark.parametrize(
    "damage",
    [
        damage_by_truncation,
        damage_by_one_bit,
        lambda data: b"",
        lambda data: b"x" * len(data),
        lambda data: data + b"x",
    ],
)
def test_a_damaged_entry_is_recompiled_and_replaced(folder, damage):
    function()
    (entry,) = entries(folder)
    sound = entry.read_bytes()
    entry.write_bytes(damage(sound))
    assert not function().library.cached
    assert entry.read_bytes() == sound
    assert function().library.cached


def test_an_entry_under_a_foreign_name_is_recompiled(folder):
    function(3.0)
    (first,) = entries(folder)
    sound = first.read_bytes()
    function(4.0)
    for path in entries(folder):
        if path != first:
            path.write_bytes(sound)
    assert not function(4.0).library.cached


def test_a_read_only_folder_is_no_error(folder, monkeypatch):
    def refuse(*args, **kwargs):
        raise PermissionError("read only")

    monkeypatch.setattr("tempfile.mkstemp", refuse)
    assert not function().library.cached


def test_the_older_half_goes_when_there_are_too_many(folder, monkeypatch):
    monkeypatch.setattr(cache, "LIMIT", 4)
    monkeypatch.setattr(cache, "SELDOM", 1)
    for age, scale in enumerate((3.0, 4.0, 5.0, 6.0)):
        function(scale)
        newest = max(entries(folder), key=lambda path: path.stat().st_mtime)
        os.utime(newest, (age, age))
    function(7.0)
    assert len(entries(folder)) == 3
    assert function(7.0).library.cached
    assert not function(3.0).library.cached


def test_processes_do_not_clash(folder):
    environment = {**os.environ, "ANYJOINT_CACHE": str(folder)}
    jobs = [subprocess.Popen([sys.executable, "-c", SCRIPT], stdout=subprocess.PIPE, env=environment) for _ in range(4)]
    assert [job.communicate()[0].strip() for job in jobs] == [b"fine"] * 4
    assert len(entries(folder)) == 5  # functions, and the digest of the source that made them
    assert not [path for path in folder.iterdir() if path.name.startswith(".new-")]
