"""`anyjoint list`: the gallery."""

from anyjoint.cli import gallery
from anyjoint.cli.output import print_json, print_table


def show(as_json: bool) -> None:
    """Print every gallery name with the first line of its docstring."""
    rows = [(name, gallery.summary(gallery.find(name))) for name in gallery.names()]
    if as_json:
        print_json([{"name": name, "summary": summary} for name, summary in rows])
    else:
        print_table("Gallery", ("name", "what it shows"), rows)
