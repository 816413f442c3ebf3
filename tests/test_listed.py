"""Folders as tables: names without imports, records of the names of their files."""

import subprocess
import sys
import types

import pytest

from anyjoint.listed import Listed
from anyjoint.quantity import QUANTITIES, Quantity
from anyjoint.stepper import STEPPERS, Stepper

# What a first answer from the cache has no use for: derivatives, steppers, other quantities, what prints code.
FIRST = """
import sys
import anyjoint as aj
mech = aj.gallery.revolute_chain(3)
mech.compile().forward_dynamics(mech.neutral, [0.0] * mech.nv)
unused = ("quantity.step", "quantity.answers.energy", "stepper.methods.rk4", "codegen.adjoint", "codegen.llvm")
print([name for name in unused if f"anyjoint.{name}" in sys.modules])
"""


@pytest.mark.parametrize(("listed", "kind"), [(QUANTITIES, Quantity), (STEPPERS, Stepper)])
def test_every_file_defines_a_record_of_its_name(listed, kind):
    assert len(listed) == len(list(listed)) > 8
    for name, record in listed.items():
        assert isinstance(record, kind)
        assert record.name == name


def test_what_is_not_there_is_not_there():
    assert "energies" not in QUANTITIES
    with pytest.raises(KeyError, match="energies"):
        QUANTITIES["energies"]


def test_a_file_without_its_record_is_told(tmp_path, monkeypatch):
    folder = types.ModuleType("folder_of_a_test")
    folder.__path__ = [str(tmp_path)]
    (tmp_path / "big_step.py").write_text("SOMETHING = 1\n")
    monkeypatch.setitem(sys.modules, folder.__name__, folder)
    with pytest.raises(ImportError, match=r"folder_of_a_test\.big_step defines no Stepper named 'big-step'"):
        Listed(folder, Stepper, dash="-")["big-step"]


def test_a_start_from_the_cache_imports_what_it_needs():
    for _ in range(2):  # the first one fills the cache
        done = subprocess.run([sys.executable, "-c", FIRST], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
