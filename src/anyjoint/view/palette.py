"""Colours: a small set for a few bodies, a smooth ramp for many."""

from __future__ import annotations

import re

from anyjoint.errors import InputError

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
CSS_NAMES = """
    aliceblue antiquewhite aqua aquamarine azure beige bisque blanchedalmond blueviolet burlywood cadetblue chartreuse
    chocolate coral cornflowerblue cornsilk crimson cyan darkblue darkcyan darkgoldenrod darkgray darkgreen darkgrey
    darkkhaki darkmagenta darkolivegreen darkorange darkorchid darkred darksalmon darkseagreen darkslateblue
    darkslategray darkslategrey darkturquoise darkviolet deeppink deepskyblue dimgray dimgrey dodgerblue firebrick
    floralwhite forestgreen fuchsia gainsboro ghostwhite goldenrod greenyellow honeydew hotpink indianred indigo ivory
    khaki lavender lavenderblush lawngreen lemonchiffon lightblue lightcoral lightcyan lightgoldenrodyellow lightgray
    lightgreen lightgrey lightpink lightsalmon lightseagreen lightskyblue lightslategray lightslategrey lightsteelblue
    lightyellow lime limegreen linen magenta maroon mediumaquamarine mediumblue mediumorchid mediumpurple
    mediumseagreen mediumslateblue mediumspringgreen mediumturquoise mediumvioletred midnightblue mintcream mistyrose
    moccasin navajowhite navy oldlace olive olivedrab orangered orchid palegoldenrod palegreen paleturquoise
    palevioletred papayawhip peachpuff peru plum powderblue rebeccapurple rosybrown royalblue saddlebrown salmon
    sandybrown seagreen seashell sienna skyblue slateblue slategray slategrey snow springgreen steelblue tan thistle
    tomato turquoise wheat whitesmoke yellowgreen"""
CSS = frozenset(CSS_NAMES.split())


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
    """A colour that the page understands: #rrggbb, or a CSS name."""
    text = color.strip().lower()
    if re.fullmatch(r"#[0-9a-f]{6}", text):
        return text
    if re.fullmatch(r"#[0-9a-f]{3}", text):
        return "#" + "".join(2 * c for c in text[1:])
    if text in NAMED or text in CSS:
        return NAMED.get(text, text)
    raise InputError(f"{where}: color {color!r} is not known; write it as '#rrggbb' or as a CSS colour name")


def _channels(color: str) -> tuple[int, int, int]:
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)
