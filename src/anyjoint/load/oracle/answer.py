"""What an oracle says: a name, our answer, and the other engine's."""

from typing import Any

Floats = Any  # arrays, ours and theirs
Answer = tuple[str, Floats, Floats]
