"""Generators of the documentation pages that repeat what the code says; each returns Markdown."""

from pathlib import Path

from pages import api, commands, equations, gallery, joints, quantities

GENERATORS = {
    "api": api.page,
    "commands": commands.page,
    "equations": equations.page,
    "gallery": gallery.page,
    "joints": joints.page,
    "optimal": gallery.optimal,
    "quantities": quantities.page,
}


def write_all(root: Path, folder: Path) -> None:
    """Write every generated page; unchanged ones keep their time stamp so that Sphinx stays incremental."""
    folder.mkdir(exist_ok=True)
    for name, generate in GENERATORS.items():
        path, text = folder / f"{name}.md", generate(root, folder)
        if not path.exists() or path.read_text(encoding="utf8") != text:
            path.write_text(text, encoding="utf8")
