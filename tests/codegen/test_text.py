"""Generated text: the same in every process, free of names, and with a golden example."""

import os
import subprocess
import sys

import pytest

from anyjoint.codegen import compile_function
from anyjoint.symbolic import Graph, select, variables

HOSTILE = ['"; system("rm -rf ~"); //', "*/ evil(); /*", "a\nb\\", "%s%n{0}{x}", "\u2028", "'+evil()+'", "x\0y"]
SCRIPT = """
import hashlib
from anyjoint.codegen import compile_function
from anyjoint.symbolic import Graph, variables
from codegen import programs
g = Graph()
x = variables("x", 6, graph=g)
outputs = [node for seed in range(30) for node in programs.random_outputs(seed, x)]
f = compile_function([x], outputs)
for language in ("llvm", "c", "js"):
    print(hashlib.sha256(f.source(language).encode()).hexdigest())
print(hashlib.sha256(f.batched.module(f.target.width).text.encode()).hexdigest())
"""

GOLDEN_C = """\
void f(const double *restrict a0, double *restrict a1)
{
    const double t0 = a0[0];
    const double t1 = a0[1];
    const double t2 = t0 * t1;
    a1[0] = t2;
    const int t3 = t0 < t1;
    const double t5 = t3 ? t2 : 0.5;
    a1[1] = t5;
}
"""
GOLDEN_LLVM = """\
  %t0q = getelementptr double, ptr %a0, i64 0
  %t0 = load double, ptr %t0q, align 8
  %t1q = getelementptr double, ptr %a0, i64 1
  %t1 = load double, ptr %t1q, align 8
  %t2 = fmul contract double %t0, %t1
  %s3q = getelementptr double, ptr %a1, i64 0
  store double %t2, ptr %s3q, align 8
  %t3 = fcmp olt double %t0, %t1
  %t5 = select i1 %t3, double %t2, double 0x3FE0000000000000
"""
GOLDEN_JS = """\
function k0(a0, o0, a1, o1) {
  const t0 = a0[o0 + 0];
  const t1 = a0[o0 + 1];
  const t2 = t0 * t1;
  a1[o1 + 0] = t2;
  const t3 = t0 < t1;
  const t5 = t3 ? t2 : 0.5;
  a1[o1 + 1] = t5;
}
function f(a0, a1) {
  k0(a0, 0, a1, 0);
}
"""


def small(name="x"):
    x = variables(name, 2)
    return compile_function([x], [x[0] * x[1], select(x[0] < x[1], x[0] * x[1], 0.5)])


@pytest.mark.parametrize(("language", "golden"), [("c", GOLDEN_C), ("llvm", GOLDEN_LLVM), ("js", GOLDEN_JS)])
def test_golden_text(language, golden):
    assert golden in small().source(language)


def test_two_processes_with_different_hash_seeds_print_the_same():
    answers = set()
    for seed in ("0", "1", "4242"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)}
        job = subprocess.run(
            [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True, env=environment
        )
        answers.add(job.stdout)
    assert len(answers) == 1


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("language", ["c", "llvm", "js"])
def test_names_never_reach_the_text(name, language):
    assert small(name).source(language) == small("x").source(language)


def test_names_never_reach_schedules():
    g = Graph()
    x = variables("evil_name", 2, graph=g)
    compiled = compile_function([x], [x[0].sin()]).batched
    assert all("evil" not in compiled.source(language) for language in ("c", "llvm", "js"))
    assert "evil" not in compiled.module(compiled.target.width).text
