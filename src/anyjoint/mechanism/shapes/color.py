"""Which colours there are: #rgb, #rrggbb, and the names of CSS."""

from __future__ import annotations

import re
from typing import Any

from anyjoint.errors import InputError
from anyjoint.options import nearest

CSS = """
    aliceblue antiquewhite aqua aquamarine azure beige bisque black blanchedalmond blue blueviolet brown
    burlywood cadetblue chartreuse chocolate coral cornflowerblue cornsilk crimson cyan darkblue darkcyan
    darkgoldenrod darkgray darkgreen darkgrey darkkhaki darkmagenta darkolivegreen darkorange darkorchid darkred
    darksalmon darkseagreen darkslateblue darkslategray darkslategrey darkturquoise darkviolet deeppink
    deepskyblue dimgray dimgrey dodgerblue firebrick floralwhite forestgreen fuchsia gainsboro ghostwhite gold
    goldenrod gray green greenyellow grey honeydew hotpink indianred indigo ivory khaki lavender lavenderblush
    lawngreen lemonchiffon lightblue lightcoral lightcyan lightgoldenrodyellow lightgray lightgreen lightgrey
    lightpink lightsalmon lightseagreen lightskyblue lightslategray lightslategrey lightsteelblue lightyellow
    lime limegreen linen magenta maroon mediumaquamarine mediumblue mediumorchid mediumpurple mediumseagreen
    mediumslateblue mediumspringgreen mediumturquoise mediumvioletred midnightblue mintcream mistyrose moccasin
    navajowhite navy oldlace olive olivedrab orange orangered orchid palegoldenrod palegreen paleturquoise
    palevioletred papayawhip peachpuff peru pink plum powderblue purple rebeccapurple red rosybrown royalblue
    saddlebrown salmon sandybrown seagreen seashell sienna silver skyblue slateblue slategray slategrey snow
    springgreen steelblue tan teal thistle tomato turquoise violet wheat white whitesmoke yellow yellowgreen"""
NAMES = frozenset(CSS.split())


def check_color(color: Any, where: str) -> None:
    """Raise an InputError if this is not a colour."""
    if isinstance(color, str) and (re.fullmatch(r"#([0-9a-fA-F]{3}){1,2}", color) or color.lower() in NAMES):
        return
    hint = nearest(color.lower(), sorted(NAMES)) if isinstance(color, str) else ""
    hint = hint if "did you mean" in hint else ""
    raise InputError(f"{where}: color {color!r} is not known; write it as '#rrggbb' or as a CSS colour name{hint}")
