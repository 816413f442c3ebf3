"""Scene: everything that a page shows, as plain data that turns into JSON."""

from __future__ import annotations

import json
from dataclasses import field
from typing import TYPE_CHECKING, Any

import numpy as np

from anyjoint.errors import InputError
from anyjoint.frozen import frozen
from anyjoint.scalar.array import Floats
from anyjoint.spatial.quaternions import quaternions
from anyjoint.view.drawing import Drawing, packed
from anyjoint.view.mesh_table import MeshTable
from anyjoint.view.tracks import point_tracks, pose_tracks

if TYPE_CHECKING:
    from anyjoint.view.strands import Strand


@frozen
class BodyDrawing:
    """A body of the scene: its name, parent (-1 is the ground), colour and shapes in its own frame."""

    name: str
    parent: int = -1
    color: str = "#4c7ef3"
    shapes: tuple[Drawing, ...] = ()
    mass: float = 1.0

    def data(self) -> dict[str, Any]:
        """As JSON data."""
        return {
            "name": self.name,
            "parent": self.parent,
            "color": self.color,
            "shapes": list(self.shapes),
            "mass": self.mass,
        }


@frozen
class Motion:
    """A recorded motion: times (n,), poses (n, nb, 4, 4), energies (n,) each, contact points and forces per frame.

    `strands` are points (n, points, 3) of what pulls along paths, `levels` activations (n, strands) as bytes.
    """

    times: Floats
    poses: Floats
    kinetic: Floats | None = None
    potential: Floats | None = None
    contacts: tuple[Floats, ...] | None = None
    forces: tuple[Floats, ...] | None = None  # at the contacts, as shares of a force that is drawn at full length
    strands: Floats | None = None
    levels: Floats | None = None

    def __post_init__(self) -> None:
        n = len(self.times)
        if n == 0 or self.poses.ndim != 4 or self.poses.shape[0] != n or self.poses.shape[2:] != (4, 4):
            raise InputError(
                f"a motion needs n times and poses of shape (n, bodies, 4, 4) with n > 0, "
                f"got {self.times.shape} and {self.poses.shape}"
            )
        for name in ("times", "poses", "kinetic", "potential", "strands"):
            values = getattr(self, name)
            if values is not None and not np.all(np.isfinite(values)):
                raise InputError(
                    f"a motion is drawn from finite numbers, but its {name} hold NaN or infinity; cut it before"
                )

    def data(self) -> dict[str, Any]:
        """As JSON data: position and quaternion (x, y, z, w) of every body in every frame."""
        poses = pose_tracks(self.poses[..., :3, 3], quaternions(self.poses[..., :3, :3]))
        out: dict[str, Any] = {"times": packed(self.times), "poses": poses}
        if self.kinetic is not None and self.potential is not None:
            out["energy"] = {"kinetic": packed(self.kinetic), "potential": packed(self.potential)}
        if self.contacts is not None:
            counts = [len(points) for points in self.contacts]
            starts = np.concatenate([[0], np.cumsum(counts)])
            out["contacts"] = {"starts": packed(starts, "<u4"), "points": packed(_rows(self.contacts))}
            if self.forces is not None:
                out["contacts"]["forces"] = packed(_rows(self.forces))
        if self.strands is not None:
            out["strands"] = {"points": point_tracks(self.strands)}
            if self.levels is not None:
                out["strands"]["levels"] = packed(self.levels, "u1")
        return out


def _rows(frames: tuple[Floats, ...]) -> Floats:
    """Vectors of all frames below one another."""
    return np.concatenate([np.reshape(vectors, (-1, 3)) for vectors in frames]) if frames else np.zeros((0, 3))


@frozen
class Variant:
    """One of several motions of a mechanism: what it is called, a number that tells it from the others, what it has.

    `fixed` are drawings of what stands still in this one alone.
    """

    label: str
    value: float
    motion: Motion
    fixed: tuple[Drawing, ...] = ()

    def data(self) -> dict[str, Any]:
        """As JSON data."""
        own = {"fixed": list(self.fixed)} if self.fixed else {}
        return {"label": self.label, "value": float(self.value), **own, **self.motion.data()}


@frozen
class Variants:
    """Several motions, one of which a slider chooses: what they are ("iteration"), what their number is ("cost")."""

    name: str
    value: str
    items: tuple[Variant, ...]

    def data(self) -> dict[str, Any]:
        """As JSON data."""
        return {"name": self.name, "value": self.value, "items": [item.data() for item in self.items]}


@frozen
class Scene:
    """A titled set of bodies with a recorded motion or several, or with what a live page needs to move them."""

    title: str
    bodies: tuple[BodyDrawing, ...]
    motion: Motion | None = None
    variants: Variants | None = None
    live: dict[str, Any] | None = None
    subtitle: str = ""
    description: str = ""
    info: dict[str, str] = field(default_factory=dict)
    fixed: tuple[Drawing, ...] = ()
    strands: tuple[Strand, ...] = ()  # what pulls along paths, as `Strands.data` says
    up: tuple[float, float, float] = (0.0, 0.0, 1.0)
    options: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("title", "description"):
            if not isinstance(getattr(self, name), str):
                raise InputError(f"{name}={getattr(self, name)!r}: the {name} of a page is a text")

    def json(self) -> str:
        """The scene as JSON text, safe inside a <script> element."""
        meshes = MeshTable()
        bodies = [body.data() for body in self.bodies]
        for body in bodies:
            body["shapes"] = [meshes.placed(shape) for shape in body["shapes"]]
        data: dict[str, Any] = {
            "format": "anyjoint-scene",
            "version": 3,
            "title": self.title,
            "subtitle": self.subtitle,
            "description": self.description,
            "info": self.info,
            "up": list(self.up),
            "bodies": bodies,
            "fixed": [meshes.placed(shape) for shape in self.fixed],
            "meshes": meshes.data,
            "options": self.options,
        }
        if self.strands:
            data["pulling"] = list(self.strands)
        if self.motion is not None:
            data |= self.motion.data()
        if self.variants is not None:
            data["variants"] = self.variants.data()
        if self.live is not None:
            data["live"] = self.live
        text = json.dumps(data, separators=(",", ":"), allow_nan=False)
        return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
