"""The user's door: expressions of variables become a function of NumPy arrays."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from anyjoint.errors import ExpressionError, InputError
from anyjoint.scalar import Scalar
from anyjoint.scalar.array import ArrayLike, Floats
from anyjoint.scalar.differentiate import Nested
from anyjoint.symbolic import Graph, Node
from anyjoint.symbolic.ops import Op

from .fingerprint import fingerprint
from .jit import Library, Module, compile_module
from .kernel import Array, Kernel, Run, Schedule, Store
from .opcount import OpCount, count_operations
from .schedule import CompiledSchedule, address
from .target import Target, checked_dtype, host_target

if TYPE_CHECKING:
    from .module import Lowered


def compile_function(
    inputs: Sequence[Nested],
    outputs: Nested,
    *,
    dtype: Any = "float64",
    width: int | None = None,
    contract: bool = True,
) -> CompiledFunction:
    """Compile outputs (a node, or nested sequences of nodes) as a function of inputs (variables, or arrays of them).

    width: how many states of a batch are computed side by side (None: what is fastest here).
    contract: whether products and sums may be fused into one rounding.
    """
    return CompiledFunction(inputs, outputs, checked_dtype(dtype), width, contract)


def javascript_function(inputs: Sequence[Nested], outputs: Nested) -> str:
    """The same function as JavaScript text alone, `f(x0, x1, ..., out)`: no machine code is made."""
    from anyjoint.codegen import javascript
    from anyjoint.codegen.module import lowered

    kernel, _ = _kernel(_checked_inputs(inputs)[0], outputs)
    return javascript.function_source(lowered(kernel, "javascript_function"))


class CompiledFunction:
    """A compiled function f(x0, x1, ...) of vectors (n,) or batches (batch, n)."""

    def __init__(
        self, inputs: Sequence[Nested], outputs: Nested, dtype: str, width: int | None, contract: bool
    ) -> None:
        self.dtype = dtype
        self.target = host_target(dtype, width, contract, straight=True)
        columns, self.input_shapes = _checked_inputs(inputs)
        self._kernel, self.shape = _kernel(columns, outputs)
        self._sizes = tuple(len(column) for column in columns)
        self._length = prod(self.shape)
        self._type = np.dtype(dtype)
        self._entry = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * (len(columns) + 1))(self.address)

    @cached_property
    def _lowered(self) -> Lowered:
        from .module import lowered  # what prints code, imported when some is not in the cache

        return lowered(self._kernel, "compile_function")

    @cached_property
    def library(self) -> Library:
        """Machine code for single states, loaded."""
        identity = fingerprint("function", Schedule(self._kernel.arrays, (self._kernel,), ()), self._scalar)
        return compile_module(identity, lambda: self._module)

    @property
    def _module(self) -> Module:
        from .module import function_module

        return function_module(self._lowered, self._scalar)

    @property
    def _scalar(self) -> Target:
        return replace(self.target, width=1)

    @cached_property
    def batched(self) -> CompiledSchedule:
        """Machine code for batches, compiled when the first batch comes."""
        arrays = self._kernel.arrays
        run = Run.over(0, *((i, (0,)) for i in range(len(arrays))))
        return CompiledSchedule(
            Schedule(arrays, (self._kernel,), (run,)),
            dtype=self.dtype,
            width=self.target.width,
            contract=self.target.contract,
            optimise=False,
        )

    @property
    def address(self) -> int:
        """The machine code's address: `void f(const real *x0, const real *x1, ..., real *out)`, real = double or float.

        Inputs and output must not overlap. The address is valid as long as this object lives.
        """
        return self.library.address("f")

    def op_count(self) -> OpCount:
        """Operations of one evaluation."""
        return count_operations(self._kernel.graph, [store.node.id for store in self._kernel.stores])

    def source(self, language: str) -> str:
        """The function as text: "c" (C99), "llvm" (LLVM IR) or "js" (JavaScript, always in double precision)."""
        from anyjoint.codegen import c, javascript

        if language == "llvm":
            return self._module.text
        if language == "c":
            return c.function_source(self._lowered, self.dtype)
        if language == "js":
            return javascript.function_source(self._lowered)
        raise InputError(f"source({language!r}): this language is not known; expected 'c', 'llvm' or 'js'.")

    def __call__(self, *arguments: ArrayLike) -> Floats:
        """Values of shape `shape`, with a leading batch axis if any argument has one."""
        if len(arguments) != len(self._sizes):
            raise InputError(f"{len(arguments)} arguments were given; expected {len(self._sizes)}.")
        words = []
        shapes, dtype = self.input_shapes, self._type
        for i, x in enumerate(arguments):  # a zip with `strict` would take half a microsecond
            if type(x) is not np.ndarray or x.dtype is not dtype or x.shape != shapes[i] or not x.flags.c_contiguous:
                return self._general(arguments)
            words.append(address(x))
        return self._single(words)

    def _single(self, addresses: list[int]) -> Floats:
        out = np.empty(self.shape, self._type)
        self._entry(*addresses, address(out))
        return out

    def _general(self, arguments: tuple[ArrayLike, ...]) -> Floats:
        """Batches, and arguments that must be converted."""
        arrays = [self._vector(i, argument) for i, argument in enumerate(arguments)]
        if any(array.ndim == 2 for array in arrays):
            return self._batch(arrays)
        return self._single([address(array) for array in arrays])

    def _batch(self, arrays: list[Floats]) -> Floats:
        states = {array.shape[0] for array in arrays if array.ndim == 2}
        if len(states) > 1:
            raise InputError(f"Batches of {sorted(states)} states were given together; expected equal numbers.")
        out = np.empty((*states, self._length), self._type)
        if out.size:
            self.batched(*arrays, out)
        return out.reshape((*states, *self.shape))

    def _vector(self, i: int, argument: ArrayLike) -> Floats:
        """An argument as a contiguous (n,) or (batch, n) array of the function's type."""
        array = np.asarray(argument)
        shape = self.input_shapes[i]
        if array.dtype is not self._type and array.dtype != self._type:  # the first test is the fast one
            array = _converted(i, array, self._type)
        if not array.flags.c_contiguous:
            array = np.ascontiguousarray(array)
        if array.shape == shape:
            return array if array.ndim == 1 else array.reshape(self._sizes[i])
        if array.shape[1:] == shape and array.ndim == len(shape) + 1:
            return array.reshape(array.shape[0], self._sizes[i])
        expected = f"{shape} or (batch{''.join(f', {n}' for n in shape)})"
        raise InputError(f"Argument {i} has shape {array.shape}; expected {expected}.")


def _converted(i: int, array: Floats, dtype: np.dtype[Any]) -> Floats:
    if array.dtype.kind not in "fiub":
        raise InputError(
            f"Argument {i} is of type {array.dtype}; expected real numbers (give real and imaginary parts apart)."
        )
    return array.astype(dtype)


def _checked_inputs(inputs: Nested) -> tuple[list[list[Node]], list[tuple[int, ...]]]:
    """The variables of each input in order, and each input's shape."""
    if isinstance(inputs, Node):
        raise InputError("inputs is a single node; expected a list of inputs: write [x].")
    columns, shapes, seen = [], [], set()
    for i, item in enumerate(inputs):
        array = _objects(item)
        for node in array.flat:
            if not isinstance(node, Node) or node.graph.op[node.id] != Op.VAR:
                raise InputError(
                    f"Input {i} holds {node!r}; expected variables, as made by `variables` or `Graph.variable`."
                )
            if node in seen:
                raise InputError(f"Input {i} holds the variable {str(node)!r} a second time; give each variable once.")
            seen.add(node)
        columns.append(list(array.flat))
        shapes.append(array.shape)
    return columns, shapes


def _objects(item: Nested) -> Floats:
    """Nested sequences of nodes as an array of objects."""
    if isinstance(item, Node):
        array = np.empty((), dtype=object)
        array[()] = item
        return array
    return np.array(item, dtype=object)


def _kernel(columns: list[list[Node]], outputs: Nested) -> tuple[Kernel, tuple[int, ...]]:
    results = _objects(outputs)
    graph = _graph([*(node for column in columns for node in column), *results.flat])
    arrays = (*(Array(f"x{i}", "row") for i in range(len(columns))), Array("out", "row"))
    loads = {node.id: (i, k) for i, column in enumerate(columns) for k, node in enumerate(column)}
    stores = tuple(Store(_node(graph, k, x), len(columns), k) for k, x in enumerate(results.flat))
    return Kernel(graph, arrays, loads, stores), results.shape


def _graph(items: list[Scalar]) -> Graph:
    graphs = {id(item.graph): item.graph for item in items if isinstance(item, Node)}
    if len(graphs) > 1:
        raise ExpressionError(
            "Inputs and outputs belong to different graphs; make all variables in one graph:"
            " g = Graph(), variables('x', 2, graph=g)."
        )
    return next(iter(graphs.values())) if graphs else Graph()


def _node(graph: Graph, k: int, item: Nested) -> Node:
    """An output as a node; plain numbers become constants."""
    if isinstance(item, Node):
        return item
    if isinstance(item, (list, tuple, np.ndarray)) or item is None or isinstance(item, (str, bytes)):
        raise InputError(f"Output {k} is {item!r}; expected a node or a number (nested lists must have equal lengths).")
    return graph.constant(item)
