"""How a page looks when it opens."""

from __future__ import annotations

from typing import Any

from anyjoint.errors import InputError
from anyjoint.options import named_options


@named_options
def viewer_options(theme: str | None = None, lite: bool | None = None, autoplay: bool | None = None) -> dict[str, Any]:
    """What the viewer reads: "light" or "dark", fewer effects for slow graphics, whether the motion plays at once."""
    if theme not in (None, "light", "dark"):
        raise InputError(f'theme={theme!r}: a page is "light" or "dark"; without a theme it follows the system')
    for name, value in (("lite", lite), ("autoplay", autoplay)):
        if value is not None and not isinstance(value, bool):
            raise InputError(f"{name}={value!r}: expected True or False")
    given = {"theme": theme, "lite": lite, "autoplay": autoplay}
    return {name: value for name, value in given.items() if value is not None}
