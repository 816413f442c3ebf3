"""Bodies that meet: impulses at all contacts at once, by the released model, and what they do to its velocities."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

import numpy as np

from anyjoint.errors import AnyjointError
from anyjoint.frozen import frozen
from anyjoint.mechanism import Body
from anyjoint.scalar.array import Floats

from .impulse import Law, impulses
from .joining import Frame
from .records import Impact

if TYPE_CHECKING:
    from anyjoint.model import Model

BALANCED = 1e-6  # share of an impulse that may be missing in the momentum after it
FAINT = 1e-9  # N s: an impulse of which rounding may be a large share


class Unbalanced(AnyjointError):
    """Momentum has not changed by the impulses."""


@frozen
class Collision:
    """Contacts by name, their speeds (along two tangents, then separating) before and after, and velocities after."""

    names: tuple[str, ...]
    before: Floats  # (k, 3)
    after: Floats
    ease: Floats  # (k,): speeds of separation per unit normal impulse
    v: Floats  # of the released model
    record: Impact

    def of(self, name: str) -> tuple[Floats, Floats, float]:
        """Speeds before and after of one contact, and its ease."""
        k = self.names.index(name)
        return self.before[k], self.after[k], float(self.ease[k])


def collision(
    model: Model, bodies: Mapping[str, Body], t: float, q: Floats, v: Floats, frames: Mapping[str, Frame], name: str,
    dead: Collection[str] = (), stays: bool = False,
) -> Collision:  # fmt: skip
    """The body `name` meets its parent while others touch; the model is the released one.

    Contacts that are `dead` have no restitution. A body that `stays` loses what speed of separation it has, too.
    """
    names = tuple(frames)
    J = np.concatenate([_rows(model, bodies[x], frames[x]) for x in names])
    # Forward dynamics at rest knows all constraints: what a unit force adds to accelerations, a unit impulse adds to v.
    rest = np.zeros(model.nv)
    fall = model.forward_dynamics(q, rest, t=t)
    effect = np.array([model.forward_dynamics(q, rest, row, t=t) - fall for row in J])
    W, u = J @ effect.T, J @ v
    contacts = {x: contact for x in names if (contact := bodies[x].contact)}
    back = [0.0 if x in dead else contact.restitution for x, contact in contacts.items()]
    law = Law(np.array([contact.friction for contact in contacts.values()]), np.array(back))
    pull, normal = np.zeros(len(u)), 3 * names.index(name) + 2
    if stays and u[normal] > 0:
        pull[normal] = -u[normal] / W[normal, normal]
    p = pull + impulses(W, u + W @ pull, law)
    after = v + p @ effect
    own = p[3 * names.index(name) :][:3]
    axes = np.asarray(model.body_poses(q), dtype=float)[bodies[name].index, :3, :3]
    lost = float(model.energy(q, v)[0]) - float(model.energy(q, after)[0])
    missing = _missing(model, t, q, after - v, J.T @ p, name)
    record = Impact(t, name, axes @ frames[name].wrench(own)[3:], lost, missing)
    return Collision(names, u.reshape(-1, 3), (J @ after).reshape(-1, 3), np.diag(W)[2::3], after, record)


def _rows(model: Model, body: Body, frame: Frame) -> Floats:
    """Velocities of a contact point per unit velocities of the released model, (3, nv)."""
    rows = np.zeros((3, model.nv))
    rows[:, body.v] = np.array([frame.wrench(unit) for unit in np.eye(3)])
    return rows


def _missing(model: Model, t: float, q: Floats, change: Floats, push: Floats, name: str) -> float:
    """What momentum has not changed by, as a share of the impulses; constraints add some of their own."""
    lack = np.asarray(model.mass_times(q, change), dtype=float) - push
    if model.mechanism.constraints:
        G = np.asarray(model.constraint_jacobian(q, t=t), dtype=float).T
        lack = lack - G @ np.linalg.lstsq(G, lack, rcond=None)[0]
    size = float(np.abs(push).max())
    missing = float(np.abs(lack).max()) / max(size, 1e-300)
    if missing > BALANCED and size > FAINT:
        raise Unbalanced(f"momentum is off by {missing:.1g} of the impulse with which {name!r} touched")
    return missing if size > 0 else 0.0
