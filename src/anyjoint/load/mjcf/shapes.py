"""Geoms of a compiled MJCF as shapes."""

from __future__ import annotations

from typing import Any

from anyjoint.mechanism import shapes
from anyjoint.mechanism.shapes import Mesh, Shape
from anyjoint.spatial import Pose

from .compiled import MjModel

PLANE, HFIELD, SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX, MESH = range(8)  # mjtGeom
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

    def shapes(self, body: int) -> tuple[list[Shape], list[Shape]]:
        """What a body looks like, and what it touches others with."""
        m, seen, touching = self.m, [], []
        for k in range(m.body_geomadr[body], m.body_geomadr[body] + m.body_geomnum[body]):
            shape = self.shape(k)
            if shape is not None and m.geom_group[k] < HIDDEN:
                seen.append(shape)
            if shape is not None and (m.geom_contype[k] or m.geom_conaffinity[k]):
                touching.append(shape)
        return seen, touching

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
                return self._mesh(int(m.geom_dataid[k]), look)
        return None

    def _mesh(self, k: int, look: dict[str, Any]) -> Shape:
        m = self.m
        vertices = m.mesh_vert[m.mesh_vertadr[k] : m.mesh_vertadr[k] + m.mesh_vertnum[k]]
        faces = m.mesh_face[m.mesh_faceadr[k] : m.mesh_faceadr[k] + m.mesh_facenum[k]]
        return Mesh(vertices.astype(float), faces.copy(), **look)

    def _look(self, k: int) -> dict[str, Any]:
        m, material = self.m, int(self.m.geom_matid[k])
        r, g, b, a = (min(max(float(x), 0.0), 1.0) for x in (m.mat_rgba[material] if material >= 0 else m.geom_rgba[k]))
        look: dict[str, Any] = {"color": "#" + "".join(f"{round(255 * x):02x}" for x in (r, g, b))}
        return look if a in (0.0, 1.0) else look | {"opacity": a}
