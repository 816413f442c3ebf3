"""What an oracle says: a name, our answer, and the other engine's."""

from __future__ import annotations

from typing import Any

import numpy as np

Floats = np.ndarray[Any, np.dtype[Any]]
Answer = tuple[str, Any, Any]
