"""The generated code of a step: the same every time, and kept."""

from types import SimpleNamespace

import numpy as np
import pytest

from anyjoint.codegen.builder import WORK
from anyjoint.forces.program import trace_forces
from anyjoint.simulate import Spring, Wrench
from anyjoint.simulate.compiled_stepper import CompiledStepper
from anyjoint.simulate.kept import MOST, kept
from anyjoint.simulate.step import ARRAYS, make_step
from anyjoint.simulate.stepper_llvm import loop_text
from anyjoint.stepper import STEPPERS
from simulate.mechanisms import rods

LOOP = """
define void @steps(ptr %d0, i64 %d0stride, ptr %d1, i64 %d1stride, ptr %d2, ptr %d3, ptr %d4, ptr %program, i64 %states,
 i64 %saves, i64 %every, ptr %out, i64 %bytes, i64 %advance) nounwind {
entry:
  br label %save
save:
  %done = phi i64 [ 0, %entry ], [ %done_next, %keep ]
  %place = phi ptr [ %out, %entry ], [ %place_next, %keep ]
  %drive = phi ptr [ %d1, %entry ], [ %drive_now, %keep ]
  %more = icmp slt i64 %done, %saves
  br i1 %more, label %step, label %exit
step:
  %count = phi i64 [ 0, %save ], [ %count_next, %step ]
  %drive_step = phi ptr [ %drive, %save ], [ %drive_now, %step ]
  call void @run(ptr %d0, i64 %d0stride, ptr %drive_step, i64 %d1stride, ptr %d2, ptr %d3, ptr %d4, ptr %program,
 i64 %states)
"""


def test_the_loop_is_what_it_was():
    assert LOOP.replace(",\n i64", ", i64") in loop_text((*ARRAYS, WORK))


@pytest.mark.parametrize("method", STEPPERS)
def test_the_same_mechanism_gives_the_same_code(method):
    texts = []
    for _ in range(2):
        mech = rods(2, stiffness=3.0)
        program = mech.compile().program("forward_dynamics")
        spring = Spring("rod 1", (0, 0, -1), None, (1, 0, 0), 4.0, 0.1, 0.5)
        step = make_step(STEPPERS[method], mech, program.trace.schedule, trace_forces(mech, [spring]), False, False)
        texts.append(CompiledStepper(step, program.dtype).code.source("llvm"))
    assert texts[0] == texts[1]
    assert "rod" not in texts[0]  # names never reach generated source


@pytest.mark.parametrize("tableau", [x.tableau for x in STEPPERS.values() if x.tableau])
def test_tableaus_are_consistent(tableau):
    assert sum(tableau.b) == pytest.approx(1, abs=1e-15)
    for c, a in zip(tableau.c, tableau.a, strict=True):
        assert sum(a) == pytest.approx(c, abs=1e-15)
    assert sum(tableau.error) == pytest.approx(0, abs=1e-15)
    if tableau.dense:  # at the end of the step the interpolant is the step
        assert np.sum(tableau.dense, axis=1) == pytest.approx([*tableau.b, 0], abs=1e-14)


def test_steppers_are_kept_and_parameters_of_forces_are_not_code():
    model = rods(2).compile()
    for stiffness in (1.0, 2.0):
        for _ in range(2):
            model.simulate(
                [1.0, 0.5], [0.0, 0.0], 0.01, forces=[Spring("rod 1", np.zeros(3), None, [1, 0, 0], stiffness)]
            )
    model.simulate([1.0, 0.5], [0.0, 0.0], 0.01, forces=[Wrench("rod 0", force=np.array([1.0, 0, 0]))])
    assert sum(key[0] == "forces" for key in model.shelf) == 3
    assert len(model.program("forward_dynamics").shelf) == 3


def test_shelves_are_short():
    owner, made = SimpleNamespace(shelf={}), []
    for k in range(2 * MOST):
        assert kept(owner, k, lambda k=k: made.append(k) or k) == k
        assert kept(owner, k, lambda: None) == k
    assert len(owner.shelf) == MOST
    assert kept(owner, [1], lambda: "fresh") == "fresh"
