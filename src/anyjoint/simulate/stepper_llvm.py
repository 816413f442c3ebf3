"""The step loop in LLVM: call the schedule of one step again and again, and keep the state every so often.

A step is a schedule like any other (see step.py), so all that is left to print is two nested loops and a copy.
"""

from __future__ import annotations

from collections.abc import Sequence

from anyjoint.codegen.bound_llvm import entry_parameters
from anyjoint.codegen.kernel import Array

LOOP = """
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

define void @steps({formal}, i64 %saves, i64 %every, ptr %out, i64 %bytes, i64 %advance) nounwind {{
entry:
  br label %save
save:
  %done = phi i64 [ 0, %entry ], [ %done_next, %keep ]
  %place = phi ptr [ %out, %entry ], [ %place_next, %keep ]
  %drive = phi ptr [ {drive}, %entry ], [ %drive_now, %keep ]
  %more = icmp slt i64 %done, %saves
  br i1 %more, label %step, label %exit
step:
  %count = phi i64 [ 0, %save ], [ %count_next, %step ]
  %drive_step = phi ptr [ %drive, %save ], [ %drive_now, %step ]
  call void @run({actual})
  %drive_now = getelementptr i8, ptr %drive_step, i64 %advance
  %count_next = add i64 %count, 1
  %again = icmp slt i64 %count_next, %every
  br i1 %again, label %step, label %keep
keep:
  call void @llvm.memcpy.p0.p0.i64(ptr %place, ptr {state}, i64 %bytes, i1 false)
  %place_next = getelementptr i8, ptr %place, i64 %bytes
  %done_next = add i64 %done, 1
  br label %save
exit:
  ret void
}}
"""


def loop_text(arrays: Sequence[Array]) -> str:
    """The function @steps, to stand behind the module of a step's schedule.

    `state` holds the states' rows and is copied to `out` after every `every` steps, `saves` times; the pointer to
    `drive` moves on by `advance` bytes with every step, so that inputs over time are read where they lie.
    """
    formal = entry_parameters(arrays)
    number = {array.name: i for i, array in enumerate(arrays)}
    actual = entry_parameters(arrays, {number["drive"]: "%drive_step"})
    state, drive = (f"%d{number[name]}" for name in ("state", "drive"))
    return LOOP.format(formal=", ".join(formal), actual=", ".join(actual), state=state, drive=drive)
