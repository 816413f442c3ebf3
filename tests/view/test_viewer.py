"""The pure parts of the viewer have unit tests of their own, in viewer/test; node runs them."""

import shutil
import subprocess
from pathlib import Path

VIEWER = Path(__file__).resolve().parents[2] / "viewer"


def test_the_units_of_the_viewer():
    node = shutil.which("node")
    assert node, "install node, e.g. `apt-get install nodejs`"
    files = sorted(str(path) for path in (VIEWER / "test").glob("*.test.js"))
    assert files
    done = subprocess.run([node, "--test", *files], capture_output=True, text=True, cwd=VIEWER)
    assert done.returncode == 0, done.stdout + done.stderr
