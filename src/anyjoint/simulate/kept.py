"""Things that are made once for an object and kept with it, so that asking again costs nothing."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from anyjoint.frozen import frozen

if TYPE_CHECKING:
    from anyjoint.joints import Joint

Made = TypeVar("Made")
NOTHING = object()
MOST = 16  # so that forces made anew for every run do not pile up


class Owner(Protocol):
    """What things are made for: it has a place for them."""

    @property
    def shelf(self) -> dict[Hashable, Any]: ...


def kept(owner: Owner, key: Hashable, make: Callable[[], Made]) -> Made:
    """What `make` made for this key before, or makes now; keys that cannot be compared are not kept."""
    shelf: dict[Hashable, Any] = owner.shelf
    try:
        known = shelf.get(key, NOTHING)
    except (TypeError, ValueError):  # unhashable, or arrays that do not compare to one truth value
        return make()
    if known is not NOTHING:
        shelf[key] = shelf.pop(key, known)  # what was asked for last is dropped last
        found: Made = known
        return found
    made = make()
    if len(shelf) >= MOST:
        shelf.pop(next(iter(tuple(shelf))), None)  # other threads may do the same
    shelf[key] = made
    return made


def forget(owner: Owner, key: Hashable) -> None:
    """Let what was made for a key be made again."""
    owner.shelf.pop(key, None)


@frozen(eq=False)
class Joints:
    """The joints of a mechanism as a key: the very same objects."""

    joints: tuple[Joint, ...]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Joints) and list(map(id, self.joints)) == list(map(id, other.joints))

    def __hash__(self) -> int:
        return hash(tuple(map(id, self.joints)))
