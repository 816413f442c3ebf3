"""What has been read and built of a model when readers come that are about what acts between its bodies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from anyjoint.frozen import frozen

from ..follow import Line
from ..request import Request
from .compiled import Lines, MjModel, Names
from .joints import MjcfJoint


@frozen
class Built:
    """A model, its joints, the bodies that move by them and those of MuJoCo by ours, and where to tell of what."""

    m: MjModel
    joints: Sequence[MjcfJoint]
    moved: Mapping[str, str]  # joint: the body that moves by it
    last: Mapping[int, str | None]  # MuJoCo's body: ours
    following: Mapping[str, tuple[str, Line]]
    names: Names
    request: Request
    line: Lines
