"""From expressions to machine code, C and JavaScript."""

from anyjoint.codegen.finite import all_finite
from anyjoint.codegen.function import CompiledFunction, compile_function, javascript_function
from anyjoint.codegen.kernel import Array, Kernel, Place, Run, Schedule, Store, rows_and_numbers
from anyjoint.codegen.opcount import OpCount, count_operations
from anyjoint.codegen.schedule import CompiledSchedule, count_schedule

__all__ = [
    "Array",
    "CompiledFunction",
    "CompiledSchedule",
    "Kernel",
    "OpCount",
    "Place",
    "Run",
    "Schedule",
    "Store",
    "all_finite",
    "compile_function",
    "count_operations",
    "count_schedule",
    "javascript_function",
    "rows_and_numbers",
]
