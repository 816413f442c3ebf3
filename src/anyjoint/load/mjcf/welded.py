"""Bodies of a compiled MJCF that are one as far as motion goes."""

from __future__ import annotations

from typing import Any

import numpy as np

from .compiled import MjModel


def welded(m: MjModel) -> Any:
    """For each body the one that it is welded to: 0, the world, where nothing moves it.

    Mocap bodies and what is welded to them are apart from the world in MuJoCo, since programs move them; here they
    stand still.
    """
    to = np.array(m.body_weldid)
    return np.where(np.asarray(m.body_mocapid)[to] >= 0, 0, to)
