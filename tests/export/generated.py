"""Programs as generated text, compiled or run by other tools."""

import ctypes
import json
import subprocess

import numpy as np

from anyjoint.export.javascript import program_text


def in_c(program, given, size, folder):
    """The answer of the generated C, whose arrays are rows, the work array and numbers in some order."""
    (folder / "it.c").write_text(program.code.source("c"))
    library = folder / f"{program.quantity.name}.so"
    command = ["gcc", "-std=c99", "-O0", "-shared", "-fPIC", "-o", str(library), "it.c", "-lm"]
    subprocess.run(command, cwd=folder, check=True)
    answer, rest = np.full(size, np.nan), {"lane": np.full(1_000_000, np.nan), "uniform": program.numbers}
    rows = iter((*given, answer))
    arrays = [next(rows) if a.kind == "row" else rest[a.kind] for a in program.trace.schedule.arrays]
    ctypes.CDLL(str(library)).run(*(ctypes.c_void_p(x.ctypes.data) for x in arrays))
    return answer


def in_javascript(program, given, size, folder):
    """The answer of the generated JavaScript."""
    rows = ", ".join(json.dumps(x.tolist()) for x in given)
    call = f"const result = new Float64Array({size});\n{program_text(program)}.call({rows}, result);\n"
    return np.array(node(call + "console.log(JSON.stringify([...result]));", folder), dtype=float)


def node(script, folder):
    """What a script says, as JSON."""
    (folder / "it.js").write_text(script)
    return json.loads(subprocess.run(["node", "it.js"], cwd=folder, capture_output=True, check=True).stdout)
