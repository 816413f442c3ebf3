"""From LLVM text to machine code in memory, by llvmlite, through the object cache."""

from __future__ import annotations

import ctypes
import math
import os
import threading
from collections.abc import Callable
from functools import lru_cache

import llvmlite.binding as llvm

from anyjoint.codegen import cache
from anyjoint.errors import AnyjointError, InputError
from anyjoint.frozen import frozen
from anyjoint.symbolic.ops import OPERATIONS

_LIBRARY = ("sin", "cos", *(of.library for of in OPERATIONS.values() if of.library))
EFFORT = {"fast": 2, "quick": 0}  # LLVM's level by what ANYJOINT_CODE asks for: code that is fast, or is made quickly
_lock = threading.Lock()  # llvmlite's engine is not made for two compilations at once


class Library:
    """Loaded machine code; keep it alive as long as its addresses are used."""

    def __init__(self, engine: llvm.ExecutionEngine, cached: bool) -> None:
        self._engine = engine
        self.cached = cached

    def address(self, name: str) -> int:
        """Where an entry function starts."""
        return int(self._engine.get_function_address(name))


@frozen
class Module:
    """LLVM text, and whether the middle end should run over it."""

    text: str
    optimise: bool


def compile_module(identity: str, make: Callable[[], Module]) -> Library:
    """Machine code from the cache, or of the module that `make` prints.

    The identity must determine the module (see `fingerprint`), so that a cached one need not be printed at all.
    """
    with _lock:
        _initialise()
        version = ".".join(map(str, llvm.llvm_version_info))
        key = cache.key_of(version, *processor(), str(_effort()), identity)
        code, cached = cache.once(key, lambda: emit(make()))
        return Library(_load(code), cached)


def emit(module: Module) -> bytes:
    """A module as object code for this processor."""
    target = machine()
    try:
        parsed = llvm.parse_assembly(module.text)
    except RuntimeError as error:
        raise AnyjointError(f"LLVM refuses generated code; this is a bug in anyjoint. It says:\n{error}") from error
    _optimise(parsed, target, module.optimise)
    return bytes(target.emit_object(parsed))


def _optimise(parsed: llvm.ModuleRef, target: llvm.TargetMachine, inline: bool) -> None:
    """Drop helpers that nobody calls; if wanted, inline kernels into their loops before, and tidy up.

    Nothing more pays: expressions have no common subterms. Combining instructions took a tenth of the time that LLVM
    needs, and its O2 ten times as long, both for the same speed.
    """
    passes = llvm.create_new_module_pass_manager()
    if inline:
        passes.add_always_inliner_pass()
        passes.add_simplify_cfg_pass()
        passes.add_aggressive_dce_pass()
    passes.add_global_dead_code_eliminate_pass()
    passes.run(parsed, llvm.create_pass_builder(target, llvm.create_pipeline_tuning_options(speed_level=2)))


def _load(code: bytes) -> llvm.ExecutionEngine:
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine())
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return engine


@lru_cache(maxsize=1)
def processor() -> tuple[str, str]:
    """The name and the features of the processor that code is for."""
    return llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()


def machine() -> llvm.TargetMachine:
    """LLVM's picture of it."""
    cpu, features = processor()
    return llvm.Target.from_default_triple().create_target_machine(cpu=cpu, features=features, opt=_effort(), jit=True)


def _effort() -> int:
    """How hard LLVM tries."""
    wish = os.environ.get("ANYJOINT_CODE", "").strip().lower() or "fast"
    if wish not in EFFORT:
        raise InputError(f"The environment variable ANYJOINT_CODE is {wish!r}; expected 'fast' or 'quick', or none.")
    return EFFORT[wish]


@lru_cache(maxsize=1)
def _initialise() -> None:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    library = _mathematics()
    for name in _LIBRARY:
        for symbol in (name, name + "f"):
            llvm.add_symbol(f"aj_{symbol}", ctypes.cast(getattr(library, symbol), ctypes.c_void_p).value)


def _found(name: str) -> str | None:
    from ctypes.util import find_library  # which loads what starts other programs

    return find_library(name)


def _mathematics() -> ctypes.CDLL:
    """The C library's mathematics: in the process itself, or in a library of its own."""
    for name in ("", "m", "msvcrt"):  # looking for a library may start other programs, so only where it is needed
        try:
            library = ctypes.CDLL(_found(name) if name else None)
            library.sin.restype, library.sin.argtypes = ctypes.c_double, [ctypes.c_double]
            if math.isclose(library.sin(1.0), math.sin(1.0)) and hasattr(library, "atan2f"):
                return library
        except (OSError, AttributeError, TypeError):
            continue
    raise AnyjointError("No C mathematics library was found; install the system's libm.")
