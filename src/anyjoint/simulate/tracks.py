"""Points, normals and forces of contacts over time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from anyjoint.constraints.touch import SHOWN
from anyjoint.frozen import frozen
from anyjoint.scalar.array import Floats, Ints

if TYPE_CHECKING:
    from .request import Request


@frozen
class ContactTrack:
    """Where a body touches its parent and the force that it gets there, at every sample, in the world, (samples, 3).

    Points are NaN and forces 0 while the body flies.
    """

    points: Floats
    forces: Floats

    @property
    def touching(self) -> Floats:
        """At which samples there is contact."""
        return np.asarray(np.isfinite(self.points[:, 0]))


@frozen
class Touched:
    """Times of samples, and what contacts show there: (samples, batch, 9 points)."""

    t: Floats
    shown: Floats

    @staticmethod
    def at_start(request: Request) -> Touched:
        """Before the first step there are no forces yet."""
        count = SHOWN * request.model.mechanism.np if request.shows else 0
        return Touched(np.zeros(1), np.zeros((1, request.batch, count)))


@frozen
class ContactForces:
    """A contact over time, in the world: points, normals and forces (samples, points, 3), or (samples, batch, points,
    3). They are those of the step that ends at a sample; forces are on the body that was named first, 0 while there is
    no contact. At the first sample nothing is known yet: forces are 0 and points not numbers."""

    points: Floats
    normals: Floats
    forces: Floats

    @property
    def force(self) -> Floats:
        """The force of all points together."""
        return np.asarray(self.forces.sum(axis=-2))

    @property
    def touching(self) -> Floats:
        """Whether each point touches."""
        return np.asarray((self.forces != 0).any(axis=-1))

    def member(self, index: int) -> ContactForces:
        """Those of one trajectory of a batch."""
        return ContactForces(*(x[:, index] for x in (self.points, self.normals, self.forces)))

    def take(self, samples: Ints | slice) -> ContactForces:
        """Those of some samples."""
        return ContactForces(*(x[samples] for x in (self.points, self.normals, self.forces)))

    def tracks(self) -> list[ContactTrack]:
        """Points one by one, where they touch."""
        here = np.where(self.touching[..., None], self.points, np.nan)
        return [ContactTrack(here[:, k], self.forces[:, k]) for k in range(self.points.shape[-2])]


def contact_tracks(request: Request, parts: list[Touched], t: Floats) -> dict[str, ContactForces]:
    """The contacts of a run at the times of its samples, by name."""
    if not request.shows:
        return {}
    times, shown = np.concatenate([x.t for x in parts]), np.concatenate([x.shown for x in parts])
    shown[0] = np.nan
    chosen = shown[np.minimum(np.searchsorted(times, t), len(times) - 1)].astype(float)
    made = chosen.reshape(*chosen.shape[:2], -1, 3, 3)
    made = made[:, 0] if request.single else made
    tracks, at = {}, 0
    for pair in request.model.mechanism.contacts:
        points, normals, forces = np.moveaxis(made[..., at : at + len(pair.balls), :, :], -2, 0)
        tracks[pair.name] = ContactForces(points, normals, np.nan_to_num(forces))
        at += len(pair.balls)
    return tracks


def read_tracks(counts: Mapping[str, int], arrays: Mapping[str, Floats]) -> dict[str, ContactForces]:
    """Contacts from a file: how many points each has, and those of all, one contact's behind the other's."""
    tracks, at = {}, 0
    for name, count in counts.items():
        parts = (arrays[what][..., at : at + count, :] for what in ("points", "normals", "forces"))
        tracks[name] = ContactForces(*parts)
        at += count
    return tracks
