"""The gallery page: every script of examples/ with its explanation, its picture and its source."""

import ast
import shutil
from pathlib import Path

from pages.text import markdown


def page(root: Path, folder: Path) -> str:
    """One section per script."""
    return "\n".join(_section(path, folder) for path in sorted((root / "examples").glob("[a-z]*.py")))


def optimal(root: Path, folder: Path) -> str:
    """One section per optimisation that has a picture."""
    pictured = [path for path in sorted((root / "examples/optimal").glob("*.py")) if _found(path)]
    return "\n".join(_optimal_section(path, folder) for path in pictured)


def _optimal_section(path: Path, folder: Path) -> str:
    title, _, rest = (ast.get_docstring(ast.parse(path.read_text(encoding="utf8"))) or "").partition("\n")
    name = path.stem.replace("_", " ").capitalize()
    file = f"`examples/optimal/{path.name}`"
    return "\n".join([f"### {name}", "", markdown(title), "", _picture(path, folder), markdown(rest), "", file, ""])


def _found(path: Path) -> list[Path]:
    """The thumbnail of a script, if there is one."""
    return sorted(next(x for x in path.parents if x.name == "examples").glob(f"thumbnails/{path.stem}.*"))


def _section(path: Path, folder: Path) -> str:
    name = path.stem.replace("_", "-")
    source = path.read_text(encoding="utf8")
    tree = ast.parse(source)
    title, _, rest = (ast.get_docstring(tree) or name).partition("\n")
    # The docstring is the text above the code; it need not be read twice.
    code = "\n".join(source.splitlines()[tree.body[0].end_lineno or 0 :]).strip()
    return "\n".join([
        f"## {name}", "", markdown(title), "", _picture(path, folder), markdown(rest), "",
        f"`anyjoint run {name} --html page.html`", "",
        "```python", code, "```", "",
    ])  # fmt: skip


def _picture(path: Path, folder: Path) -> str:
    """The thumbnail of a script, when there is one."""
    for picture in _found(path):
        shutil.copyfile(picture, folder / picture.name)
        return f"![{path.stem.replace('_', ' ')}](generated/{picture.name})\n"
    return ""
