"""Sphinx settings. Pages that repeat what the code already says are generated first, into docs/generated."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import pages  # noqa: E402

project = "anyjoint"
copyright = "the anyjoint developers"
version = release = "0.1.0"
extensions = ["myst_parser", "pages.mathml"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build", "generated"]
myst_enable_extensions = ["dollarmath", "deflist", "colon_fence", "attrs_inline"]
myst_heading_anchors = 3
html_theme = "furo"
html_title = "anyjoint"
html_static_path = ["_static"]
html_theme_options = {"source_repository": "", "sidebar_hide_name": False}
pygments_style = "friendly"
pygments_dark_style = "monokai"

pages.write_all(HERE.parent, HERE / "generated")
