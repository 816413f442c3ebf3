"""One example of each joint kind, to draw it; kinds that need no arguments are made without any."""

from collections.abc import Callable
from typing import Any


def sample(name: str) -> Any:
    """An instance of the joint kind, or None when there is nothing to draw."""
    from anyjoint import joints

    make = SAMPLES.get(name)
    if make:
        return make()
    try:
        return getattr(joints, name)()
    except TypeError:
        return None


SAMPLES: dict[str, Callable[[], Any]] = {}
