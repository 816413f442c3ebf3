"""Pages inside notebooks."""

from __future__ import annotations

import html

from anyjoint.view.page import page_text
from anyjoint.view.scene import Scene


def notebook_html(scene: Scene, dynamics: str | None = None, height: int = 520) -> str:
    """The page in a frame of its own, for `_repr_html_`: scripts and styles of the notebook stay apart from ours."""
    inside = html.escape(page_text(scene, dynamics), quote=True)
    style = f"width:100%;height:{int(height)}px;border:0;border-radius:12px"
    title = html.escape(scene.title, quote=True)
    return f'<iframe srcdoc="{inside}" style="{style}" allowfullscreen title="{title}"></iframe>'
