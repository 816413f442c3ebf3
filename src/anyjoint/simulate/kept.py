"""Things that are made once for an object and kept with it, so that asking again costs nothing."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, TypeVar

Made = TypeVar("Made")
MOST = 16  # so that forces made anew for every run do not pile up


def kept(owner: Any, key: Hashable, make: Callable[[], Made]) -> Made:
    """What `make` made for this key before, or makes now; keys that cannot be compared are not kept."""
    shelf: dict[Hashable, Made] = vars(owner).setdefault("_kept", {})
    try:
        if key in shelf:
            return shelf[key]
    except (TypeError, ValueError):  # unhashable, or arrays that do not compare to one truth value
        return make()
    made = make()
    if len(shelf) >= MOST:
        shelf.pop(next(iter(shelf)))
    shelf[key] = made
    return made


def forget(owner: Any, key: Hashable) -> None:
    """Let what was made for a key be made again."""
    vars(owner).get("_kept", {}).pop(key, None)


@dataclass(frozen=True, eq=False)
class Joints:
    """The joints of a mechanism as a key: the very same objects."""

    joints: tuple[Any, ...]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Joints) and list(map(id, self.joints)) == list(map(id, other.joints))

    def __hash__(self) -> int:
        return hash(tuple(map(id, self.joints)))
