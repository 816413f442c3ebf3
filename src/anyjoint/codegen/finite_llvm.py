"""LLVM text that tells whether many numbers are all finite: zero times each of them, added up, is zero or NaN."""

from __future__ import annotations

from anyjoint.codegen.target import Target

TOGETHER = 16  # several sums at once: one alone would wait for itself at every number


def finite_text(target: Target) -> str:
    """`int32_t finite(const real *numbers, int64_t count)`: 1 if all are finite, else 0."""
    T, E, n = f"<{TOGETHER} x {target.real}>", target.real, TOGETHER
    return f"""\
define i32 @finite(ptr %numbers, i64 %count) nounwind noinline alignstack(64) {{
entry:
  %whole = and i64 %count, -{n}
  br label %several
several:
  %i = phi i64 [ 0, %entry ], [ %next_i, %look ]
  %sums = phi {T} [ zeroinitializer, %entry ], [ %next_sums, %look ]
  %more = icmp slt i64 %i, %whole
  br i1 %more, label %look, label %looked
look:
  %here = getelementptr {E}, ptr %numbers, i64 %i
  %xs = load {T}, ptr %here, align {target.size}
  %zeros = fmul {T} %xs, zeroinitializer
  %next_sums = fadd {T} %sums, %zeros
  %next_i = add i64 %i, {n}
  br label %several
looked:
  %good = fcmp ord {T} %sums, zeroinitializer
  %bits = bitcast <{n} x i1> %good to i{n}
  %all = icmp eq i{n} %bits, -1
  br label %rest
rest:
  %k = phi i64 [ %whole, %looked ], [ %next_k, %one ]
  %sum = phi {E} [ 0.0, %looked ], [ %next_sum, %one ]
  %left = icmp slt i64 %k, %count
  br i1 %left, label %one, label %done
one:
  %there = getelementptr {E}, ptr %numbers, i64 %k
  %x = load {E}, ptr %there, align {target.size}
  %zero = fmul {E} %x, 0.0
  %next_sum = fadd {E} %sum, %zero
  %next_k = add i64 %k, 1
  br label %rest
done:
  %last = fcmp ord {E} %sum, 0.0
  %both = and i1 %all, %last
  %answer = zext i1 %both to i32
  ret i32 %answer
}}
"""
