"""Geoms of a compiled MJCF as shapes."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from anyjoint.mechanism import shapes
from anyjoint.mechanism.shapes import Mesh, Shape
from anyjoint.spatial import Pose

from ..paint import pictured
from .compiled import MjModel

PLANE, HFIELD, SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX, MESH = range(8)  # mjtGeom
FLAT = 0  # mjtTexture: a picture that is laid on by the mesh's own coordinates
HIDDEN = 3  # MuJoCo's viewer shows the groups below
WIDE, THIN = 10.0, 1e-3  # what is drawn of a plane without end


def pose_of(position: Any, quaternion: Any) -> Pose:
    """A pose from MuJoCo's position and quaternion."""
    w, x, y, z = (float(a) for a in quaternion)
    shift = Pose.translation(*(float(a) for a in position)) if any(position) else Pose()
    return shift if (x, y, z) == (0.0, 0.0, 0.0) else shift @ Pose.quaternion(w, x, y, z)


class Geoms:
    """Shapes of a model's geoms; meshes only where they are wanted."""

    def __init__(self, m: MjModel, meshes: bool) -> None:
        self.m, self.meshes = m, meshes
        self._mean = cache(lambda picture: self._pixels(picture).mean(axis=(0, 1)) / 255)

    def shapes(self, body: int) -> tuple[list[Shape], list[Shape]]:
        """What a body looks like, and what it touches others with.

        A body that shows a mesh which touches nothing looks like what touches nothing: the rest is for contacts.
        """
        m = self.m
        made = {k: self.shape(k) for k in range(m.body_geomadr[body], m.body_geomadr[body] + m.body_geomnum[body])}
        found = {k: shape for k, shape in made.items() if shape is not None}
        touching = {k: shape for k, shape in found.items() if m.geom_contype[k] or m.geom_conaffinity[k]}
        seen = {k: shape for k, shape in found.items() if m.geom_group[k] < HIDDEN and self._rgba(k)[3]}
        shown = {k: shape for k, shape in seen.items() if k not in touching}
        dressed = any(m.geom_type[k] == MESH for k in shown)
        return list((shown if dressed else seen).values()), list(touching.values())

    def shape(self, k: int) -> Shape | None:
        """The shape of a geom, where it has one."""
        m = self.m
        a, b, c = (float(x) for x in m.geom_size[k])
        look = self._look(k) | {"pose": pose_of(m.geom_pos[k], m.geom_quat[k])}
        match int(m.geom_type[k]):
            case 0:
                return shapes.Box(2 * a or WIDE, 2 * b or WIDE, THIN, **look)
            case 2:
                return shapes.Sphere(a, **look)
            case 3:
                return shapes.Capsule(a, 2 * b, **look)
            case 4:
                return shapes.Ellipsoid(a, b, c, **look)
            case 5:
                return shapes.Cylinder(a, 2 * b, **look)
            case 6:
                return shapes.Box(2 * a, 2 * b, 2 * c, **look)
            case 7 if self.meshes:
                return self._mesh(k, look)
        return None

    def _mesh(self, geom: int, look: dict[str, Any]) -> Shape:
        m, k = self.m, int(self.m.geom_dataid[geom])
        vertices = m.mesh_vert[m.mesh_vertadr[k] : m.mesh_vertadr[k] + m.mesh_vertnum[k]]
        part = slice(int(m.mesh_faceadr[k]), int(m.mesh_faceadr[k] + m.mesh_facenum[k]))
        faces, picture = m.mesh_face[part].copy(), self._picture(geom)
        if picture is None or m.mesh_texcoordadr[k] < 0 or m.tex_type[picture] != FLAT:
            return Mesh(vertices.astype(float), faces, **look)
        places = m.mesh_texcoord[m.mesh_texcoordadr[k] :][m.mesh_facetexcoord[part]].mean(axis=1)
        found = list(pictured(self._pixels(picture), *places.T))
        order = np.concatenate([np.flatnonzero(chosen) for _, chosen in found])
        colors = [(color, int(chosen.sum())) for color, chosen in found]
        return Mesh(vertices.astype(float), faces[order], colors, **look)

    def _picture(self, geom: int) -> int | None:
        """The number of the picture on a geom."""
        material = int(self.m.geom_matid[geom])
        return next((int(x) for x in np.ravel(self.m.mat_texid[material]) if x >= 0), None) if material >= 0 else None

    def _pixels(self, picture: int) -> Any:
        """Colours (height, width, 3) of a picture."""
        m = self.m
        shape = *(int(x[picture]) for x in (m.tex_height, m.tex_width)), int(m.tex_nchannel[picture])
        pixels = m.tex_data[int(m.tex_adr[picture]) :][: np.prod(shape)].reshape(shape)
        return pixels[..., :3] if shape[2] >= 3 else np.repeat(pixels[..., :1], 3, axis=2)

    def _rgba(self, k: int) -> list[float]:
        """Colour and opacity of a geom: its own, or of its material, under the mean of a picture on it."""
        m, material = self.m, int(self.m.geom_matid[k])
        rgba = [min(max(float(x), 0.0), 1.0) for x in (m.mat_rgba[material] if material >= 0 else m.geom_rgba[k])]
        picture = self._picture(k)
        if picture is not None:
            rgba[:3] = [float(x * y) for x, y in zip(rgba[:3], self._mean(picture), strict=True)]
        return rgba

    def _look(self, k: int) -> dict[str, Any]:
        r, g, b, a = self._rgba(k)
        look: dict[str, Any] = {"color": "#" + "".join(f"{round(255 * x):02x}" for x in (r, g, b))}
        return look if a in (0.0, 1.0) else look | {"opacity": a}
