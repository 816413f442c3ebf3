"""Joint programs by kind, traced once per mechanism."""

from __future__ import annotations

from collections.abc import Hashable

from anyjoint.dynamics.plan import Link
from anyjoint.joints.parameters import signature

from .joint_program import JointProgram, trace_joint


class JointCache:
    """Joints that differ only in their run-time numbers share one program."""

    def __init__(self) -> None:
        self._programs: dict[Hashable, JointProgram] = {}

    def key(self, link: Link) -> Hashable:
        """What makes two links' joints the same kind."""
        return (link.kind, signature(link.joint), link.core) if link.kind == "general" else link.kind

    def program(self, link: Link) -> JointProgram:
        """The program of a link's joint."""
        key = self.key(link)
        if key not in self._programs:
            self._programs[key] = trace_joint(link)
        return self._programs[key]
