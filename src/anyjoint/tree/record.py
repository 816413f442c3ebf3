"""What a sweep sees of one link: a record that it reads and writes."""

from __future__ import annotations

from typing import Any

import numpy as np

from anyjoint.errors import AlgorithmError
from anyjoint.joints.product_rule import Piece
from anyjoint.spatial import BlockInertia, Matrix, Pose, Vector, as_matrix, zeros


class Record:
    """Values of one link by name; what its children hand inward is summed on the way.

    Given before the first sweep: `A` (parent to the joint's working frame), `W` (working frame to the link), `S_A`,
    `S_B`, `c` (the joint's Jacobian and Sdot*qdot in the working frame), `J` (rigid inertia), `qd`, `tau`, ...
    `pieces` are the factors of A and W one by one, each with its own Jacobian; none where no sweep reads them.
    """

    def __init__(self, **values: Any) -> None:
        self.__dict__.update(values, _sums={}, _fresh=set(values), _asked=set())

    A: Pose
    W: Pose
    S_A: Matrix
    S_B: Matrix
    c: Vector
    pieces: list[Piece]
    J: BlockInertia
    up: Vector
    qd: Vector
    qdd: Vector
    Sdot_x: Vector
    qdd_rest: Vector
    passive: Vector
    stored: Vector
    armature: Vector | Matrix
    stiffness: Vector | Matrix
    damping: Vector | Matrix
    prescribed: bool
    elders: int  # siblings that come before it

    _fresh: set[str]  # names that the present sweep has set
    _sums: dict[str, Any]
    _asked: set[str]  # names whose sums the present sweep has asked for

    def __getattr__(self, name: str) -> Any:
        raise AlgorithmError(unset(name))

    def __setattr__(self, name: str, value: Any) -> None:
        self.__dict__[name] = said(value)
        self._fresh.add(name)

    def has_said(self, name: str) -> bool:
        """Whether the present sweep has set a value."""
        return name in self._fresh

    def forget_messages(self) -> None:
        """A new sweep begins: what was said in the last one has been said."""
        self._fresh.clear()
        self._sums.clear()
        self._asked.clear()

    def add(self, name: str, value: Any) -> None:
        """Hand a value inward to this link."""
        self._sums[name] = self._sums[name] + value if name in self._sums else value

    def plus(self, name: str, own: Any) -> Any:
        """The link's own value plus what its children have handed in."""
        self._asked.add(name)
        return own + self._sums[name] if name in self._sums else own

    def handed(self, name: str) -> Any:
        """What the children have handed in; None if no child has."""
        return self._sums.get(name)

    def asked(self) -> set[str]:
        """Names whose sums the present sweep has asked for."""
        return self._asked


def said(value: Any) -> Any:
    """A value that a sweep has set: from now on arrays cannot be written to, which kernels would not notice."""
    if isinstance(value, np.ndarray):
        value.flags.writeable = False
    return value


def unset(name: str) -> str:
    """What is wrong with reading a value that is not there."""
    return f"no sweep has given this link a value {name!r} yet, and it is no input of the algorithm"


def ground(up: Vector) -> Record:
    """The record of the ground: at rest, accelerated upwards against gravity (`up` is three numbers, -g)."""
    still = {name: zeros(6) for name in ("v", "eta", "shift", "y", "z")}
    still |= {name: zeros(3, 3) for name in ("Rd", "Rdd", "Omega")}
    still |= {name: zeros(3) for name in ("p", "w", "wdot")} | {"carried": zeros(0)}
    alpha = np.concatenate([zeros(3), up])
    eye = as_matrix(np.eye(3, dtype=int))
    none = BlockInertia.zero()
    return Record(alpha=alpha, acceleration=up, R=eye, R_hub=eye, p_hub=zeros(3), Lambda=none, **still)
