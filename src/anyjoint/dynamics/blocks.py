"""Per-link blocks of a state on NumPy floats: what the dense formulations assemble their matrices from."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anyjoint.frozen import frozen
from anyjoint.scalar.array import Floats


@frozen
class Block:
    """One link: pose G = (R, p) in the parent link, velocity-product acceleration a, gyroscopic wrench b, Jacobian S.

    All may have leading batch axes.
    """

    R: Floats
    p: Floats
    a: Floats
    b: Floats
    S: Floats

    @property
    def to_child(self) -> Floats:
        """Ad(G^-1): twists of the parent seen from the child [RM eq. 5]."""
        Rt = np.swapaxes(self.R, -1, -2)
        X = np.zeros((*self.R.shape[:-2], 6, 6))
        X[..., :3, :3] = X[..., 3:, 3:] = Rt
        X[..., 3:, :3] = -Rt @ skew(self.p)
        return X


@frozen
class Maximal:
    """All links of a tree in maximal coordinates, and what acts on them: forces at joints, the ground's acceleration.

    `inertias` are 6x6 in the links' frames, `armature` is what joints alone feel, one number per velocity.
    """

    blocks: Sequence[Block]
    parents: Sequence[int]
    inertias: Sequence[Floats]
    tau: Floats
    base_acceleration: Floats
    armature: Floats | float = 0.0


@frozen
class LinkRows:
    """Constraint rows on maximal coordinates: sum K_i vdot_i + N qdd + gamma = 0, with rates of the links' twists.

    `on_links` are K, (m, 6) for each link that is touched, `on_joints` is N (m, nv).
    """

    on_links: dict[int, Floats]
    on_joints: Floats
    gamma: Floats


def skew(p: Floats) -> Floats:
    """The matrices [p] with [p] b = p x b [LJ eq. 20]."""
    out = np.zeros((*p.shape[:-1], 3, 3))
    out[..., 2, 1], out[..., 0, 2], out[..., 1, 0] = p[..., 0], p[..., 1], p[..., 2]
    return out - np.swapaxes(out, -1, -2)


def ad_matrix(v: Floats) -> Floats:
    """The matrices ad(v) of twists [RM eq. 8]."""
    out = np.zeros((*v.shape[:-1], 6, 6))
    out[..., :3, :3] = out[..., 3:, 3:] = skew(v[..., :3])
    out[..., 3:, :3] = skew(v[..., 3:])
    return out


def split_blocks(row: Floats, widths: Sequence[int]) -> list[Block]:
    """Blocks from the result row of the algorithm BLOCKS; `widths` are the links' numbers of velocities."""
    n, lead = len(widths), row.shape[:-1]
    R, p, a, b, S = np.split(row, np.cumsum([9 * n, 3 * n, 6 * n, 6 * n]), axis=-1)
    R, p, a, b = (x.reshape(*lead, n, *s) for x, s in zip((R, p, a, b), ((3, 3), (3,), (6,), (6,)), strict=True))
    at = 6 * np.cumsum([0, *widths])
    return [
        Block(R[..., i, :, :], p[..., i, :], a[..., i, :], b[..., i, :], S[..., at[i] : at[i + 1]].reshape(*lead, 6, w))
        for i, w in enumerate(widths)
    ]


def starts(blocks: Sequence[Block]) -> list[int]:
    """Where each link's velocities begin, in the order of the links; the last entry is their number."""
    return [0, *np.cumsum([block.S.shape[-1] for block in blocks]).tolist()]


def apply(matrix: Floats, vector: Floats) -> Floats:
    """Matrix times vector over leading batch axes."""
    product: Floats = (matrix @ vector[..., None])[..., 0]
    return product
