"""Formulas as MathML, which browsers draw themselves: the built pages need no network and no script."""

from typing import Any

from latex2mathml.converter import convert


def inline(translator: Any, node: Any) -> None:
    """An inline formula."""
    from docutils.nodes import SkipNode

    translator.body.append(convert(node.astext()))
    raise SkipNode


def block(translator: Any, node: Any) -> None:
    """A formula on its own line."""
    from docutils.nodes import SkipNode

    translator.body.append('<div class="math">' + convert(node.astext(), display="block") + "</div>")
    raise SkipNode


def setup(app: Any) -> dict[str, bool]:
    """Register the renderers with Sphinx."""
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    app.config.html_math_renderer = "mathml"
    return {"parallel_read_safe": True}
