"""Compilers for the peers' C and C++ loops, with a cache keyed by everything that goes in."""

from __future__ import annotations

import ctypes
import hashlib
import importlib.util
import os
import platform
import shutil
import subprocess
import sys
import time
from pathlib import Path

BUILD = Path(__file__).parents[1] / "build"
COMPILERS = ("clang", "gcc")
HERE = Path(__file__).parent
_QUIET = ("-w", "-fPIC", "-shared", "-DNDEBUG", "-DEIGEN_NO_DEBUG")


def command(compiler: str, cpp: bool) -> list[str]:
    """The command line of a compiler: clang comes from the `ziglang` wheel, gcc from the system."""
    if compiler == "clang":
        if importlib.util.find_spec("ziglang") is None:
            raise SystemExit("clang: the ziglang wheel is not installed")
        # zig adds debug information, and in some modes the undefined-behaviour sanitiser: neither may burden a peer.
        return [sys.executable, "-m", "ziglang", "c++" if cpp else "cc", "-g0", "-fno-sanitize=undefined"]
    found = shutil.which("g++" if cpp else "gcc")
    if not found:
        raise SystemExit("gcc: no system compiler found")
    return [found]


def build(source: str, compiler: str, flags: list[str], cpp: bool = False) -> tuple[Path, float]:
    """Compile a source text to a shared library; returns it and the seconds that the compiler took."""
    suffix = ".cpp" if cpp else ".c"
    line = [*command(compiler, cpp), *_QUIET, f"-I{HERE}", *flags]
    key = hashlib.sha256("\0".join([source, (HERE / "loop.h").read_text(), _cpu(), *line]).encode()).hexdigest()[:24]
    BUILD.mkdir(exist_ok=True)
    library, seconds = BUILD / f"{key}.so", BUILD / f"{key}.seconds"
    if not library.exists():
        text, fresh = BUILD / f"{key}{suffix}", BUILD / f"{key}.{os.getpid()}.so"
        text.write_text(source, encoding="utf-8")
        started = time.perf_counter()
        done = subprocess.run([*line, str(text), "-o", str(fresh)], capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(f"{compiler} failed:\n{done.stderr[-4000:]}")
        seconds.write_text(f"{time.perf_counter() - started:.3f}", encoding="utf-8")
        fresh.rename(library)
    return library, float(seconds.read_text())


def load(library: Path) -> ctypes.CDLL:
    """Open a library that `build` made."""
    return ctypes.CDLL(str(library))


def version(compiler: str) -> str:
    """First line of the compiler's own version text."""
    done = subprocess.run([*command(compiler, False), "--version"], capture_output=True, text=True, check=False)
    return done.stdout.splitlines()[0] if done.stdout else compiler


def _cpu() -> str:
    """-march=native code must not be reused on another machine."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        return "".join(line for line in lines if line.startswith(("model name", "flags")))[:4000]
    except OSError:
        return platform.processor()
