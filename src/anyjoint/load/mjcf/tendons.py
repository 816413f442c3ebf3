"""Tendons of a compiled MJCF as paths: fixed ones wind drums, spatial ones run through sites and around geoms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from anyjoint.forces import Drum, DryFriction, Pulley, Tendon, Tether, WrapCylinder, WrapSphere
from anyjoint.forces.path import Item

from ..follow import Line
from .built import Built
from .joints import MjcfJoint, held_within
from .shapes import pose_of
from .softness import softness

LEAST, SLOWEST = 1e-15, 1e-6
JOINT, PULLEY, SITE, SPHERE, CYLINDER = 1, 2, 3, 4, 5  # mjtWrap


class Tendons:
    """Reads the tendons of a model; `paths` are those that have a counterpart, by number."""

    def __init__(self, of: Built) -> None:
        m = of.m
        self.m, self.joints, self.moved, self.last, self.following = m, of.joints, of.moved, of.last, of.following
        self.names, self.report, self.line = of.names, of.request.report, of.line
        self.paths: dict[int, list[Item]] = {}
        for k in range(m.ntendon):
            path = self._path(k)
            name = of.names.of("tendon", k)
            if isinstance(path, str):
                self.report.warn(of.line("tendon", name), "tendon", f"tendon {name!r} is left out: it {path}")
                continue
            self.paths[k] = path
            if any(getattr(item, "side", None) for item in path):
                what = "stays on the side that its sidesite says, where MuJoCo may let it pass on the other"
                self.report.warn(of.line("tendon", name), "tendon", f"tendon {name!r} {what}")

    def named(self) -> dict[str, list[Item]]:
        """Paths by the names of their tendons."""
        return {self.names.of("tendon", k): path for k, path in self.paths.items()}

    def forces(self) -> list[Tendon | Tether | DryFriction]:
        """Springs, limits and dry friction of tendons, which are forces here."""
        m, made = self.m, list[Tendon | Tether | DryFriction]()
        for k, path in self.paths.items():
            name = self.names.of("tendon", k)
            if getattr(m, "tendon_actfrclimited", np.zeros(m.ntendon))[k]:
                sentence = f"tendon {name!r}: what drives together may pull with (actuatorfrcrange) is not kept"
                self.report.warn(self.line("tendon", name), "tendon", sentence)
            stiffness, damping = float(m.tendon_stiffness[k]), float(m.tendon_damping[k])
            found = list[tuple[str, Tendon | Tether | DryFriction]]()
            if stiffness or damping:
                low, high = (float(x) for x in m.tendon_lengthspring[k])
                found.append(("spring", Tendon(path, stiffness, damping, (low, high))))
            if m.tendon_limited[k]:
                found.append(("limits", self._tether(k, path)))
            if m.tendon_frictionloss[k]:
                found.append(("dry friction", self._friction(k, path)))
            if found:
                what = " and ".join(said for said, _ in found)
                sentence = f"tendon {name!r} has its {what} as forces here; simulate(forces=mech.source.forces)"
                self.report.warn(self.line("tendon", name), "tendon", sentence)
            made += [force for _, force in found]
        return made

    def _tether(self, k: int, path: list[Item]) -> Tether:
        """A spring that carries a weight where MuJoCo's soft limit does, and does not swing."""
        m = self.m
        ends = held_within(m.tendon_range[k], float(m.tendon_margin[k]))
        stiffness, _ = softness(m.tendon_solref_lim[k], m.tendon_solimp_lim[k])
        mass = 1 / max(float(m.tendon_invweight0[k]), LEAST)
        return Tether(path, ends, stiffness * mass, 2 * math.sqrt(stiffness) * mass)

    def _friction(self, k: int, path: list[Item]) -> DryFriction:
        """Below the force it creeps as fast as MuJoCo lets it."""
        m, force = self.m, float(self.m.tendon_frictionloss[k])
        _, damping = softness(m.tendon_solref_fri[k], m.tendon_solimp_fri[k])
        return DryFriction(path, force, max(force * float(m.tendon_invweight0[k]) / damping, SLOWEST))

    def _path(self, k: int) -> list[Item] | str:
        """The path of a tendon, or what it has that ours have not."""
        m, made = self.m, list[Item]()
        start = int(m.tendon_adr[k])
        for i in range(start, start + int(m.tendon_num[k])):
            kind, index, number = int(m.wrap_type[i]), int(m.wrap_objid[i]), float(m.wrap_prm[i])
            if kind == JOINT:
                item: Any = self._drum(self.joints[index], number)
            elif kind == PULLEY:
                item = Pulley(number)
            elif kind == SITE:
                item = self.last[int(m.site_bodyid[index])], tuple(float(x) for x in m.site_pos[index])
            elif kind in (SPHERE, CYLINDER):
                item = self._obstacle(kind, index, int(number))
            else:
                item = "passes something unknown"
            if isinstance(item, str):
                return item
            made.append(item)
        return made[1:] if isinstance(made[0], Pulley) and made[0].divisor == 1 else made

    def _drum(self, joint: MjcfJoint, coefficient: float) -> Drum:
        leader, way = self.following.get(joint.name, (joint.name, Line(1.0)))
        return Drum(self.moved[leader], coefficient * way.slope, zero=-way.intercept / way.slope)

    def _obstacle(self, kind: int, geom: int, side: int) -> Any:
        m, radius = self.m, float(self.m.geom_size[geom][0])
        body = int(m.geom_bodyid[geom])
        pose, towards = pose_of(m.geom_pos[geom], m.geom_quat[geom]), None
        if side >= 0:
            if int(m.site_bodyid[side]) != body:
                return "goes around a geom on a side that another body says"
            offset = m.site_pos[side] - m.geom_pos[geom]
            axis = np.asarray(pose.R, dtype=float)[:, 2]
            across = offset if kind == SPHERE else offset - axis * (axis @ offset)
            if np.linalg.norm(across) < radius:
                return "runs inside of a geom"
            towards = tuple(float(x) for x in across)
        center = tuple(float(x) for x in pose.p)
        if kind == SPHERE:
            return WrapSphere(self.last[body], center, radius, towards)
        return WrapCylinder(self.last[body], center, tuple(float(x) for x in pose.R[:, 2]), radius, towards)
