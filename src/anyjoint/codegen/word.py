"""Names of users as words of code."""

from __future__ import annotations

import re


def word(text: str, otherwise: str) -> str:
    """Letters, digits and single _ of a text; what does not begin with a letter has another word in front."""
    made = re.sub(r"[^A-Za-z0-9]+", "_", text).strip("_")
    return made if made[:1].isalpha() else f"{otherwise}_{made}".rstrip("_")
