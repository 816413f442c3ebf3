"""Colours: a small set for a few bodies, a smooth ramp for many."""

from __future__ import annotations

from anyjoint.mechanism.shapes.color import check_color

# Chosen to stay apart for colour-blind eyes and to look well under warm light on both themes.
FEW = ("#4c7ef3", "#f2784b", "#2fb8a0", "#f0b93a", "#9b6bdf", "#e8618c", "#5cb85c", "#57b6e0")
RAMP = ("#2f6fed", "#21a8c4", "#35b98a", "#f0b93a", "#f2784b", "#dd5a8b", "#8f63d9")
# Plain names get a shade that goes with the rest; the other CSS names are what they are.
NAMED = {
    "black": "#20242c", "white": "#f4f5f7", "grey": "#9aa3b2", "gray": "#9aa3b2", "silver": "#c3c9d4",
    "red": "#e5484d", "orange": "#f2784b", "yellow": "#f0b93a", "green": "#3fae6a", "teal": "#2fb8a0",
    "blue": "#4c7ef3", "purple": "#9b6bdf", "violet": "#9b6bdf", "pink": "#e8618c",
    "brown": "#9c6b4a", "gold": "#d9a520",
}  # fmt: skip


def body_colors(count: int) -> list[str]:
    """One colour per body; neighbours in a long chain differ gently."""
    if count <= len(FEW):
        return list(FEW[:count])
    return [ramp(i / (count - 1)) for i in range(count)]


def ramp(s: float) -> str:
    """The colour at s in [0, 1] along the ramp."""
    place = min(max(s, 0.0), 1.0) * (len(RAMP) - 1)
    k = min(int(place), len(RAMP) - 2)
    a, b = _channels(RAMP[k]), _channels(RAMP[k + 1])
    t = place - k
    # Squares are close to linear light: mixing them avoids muddy middles.
    mixed = [round(((1 - t) * x * x + t * y * y) ** 0.5) for x, y in zip(a, b, strict=True)]
    return "#" + "".join(f"{x:02x}" for x in mixed)


def checked_color(color: str, where: str) -> str:
    """A colour that the page understands: #rrggbb, or a CSS name; refused where it is neither."""
    check_color(color, where)
    text = color.lower()
    return "#" + "".join(2 * c for c in text[1:]) if len(text) == 4 and text[0] == "#" else NAMED.get(text, text)


def _channels(color: str) -> tuple[int, int, int]:
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)
