"""Solids of simple form."""

from __future__ import annotations

import math

from anyjoint.frozen import frozen

from ..inertia import Inertia
from .shape import Shape


@frozen(eq=False)
class Box(Shape):
    """A box with edges x, y, z about the origin."""

    x: float
    y: float
    z: float

    @property
    def volume(self) -> float:
        return self.x * self.y * self.z

    def _inertia(self, mass: float) -> Inertia:
        return Inertia.box(mass, self.x, self.y, self.z)


@frozen(eq=False)
class Sphere(Shape):
    """A ball about the origin."""

    radius: float

    @property
    def volume(self) -> float:
        return 4 / 3 * math.pi * self.radius**3

    def _inertia(self, mass: float) -> Inertia:
        return Inertia.sphere(mass, self.radius)


@frozen(eq=False)
class Ellipsoid(Shape):
    """An ellipsoid with semi-axes a, b, c."""

    a: float
    b: float
    c: float

    @property
    def volume(self) -> float:
        return 4 / 3 * math.pi * self.a * self.b * self.c

    def _inertia(self, mass: float) -> Inertia:
        return Inertia.ellipsoid(mass, self.a, self.b, self.c)


@frozen(eq=False)
class Cylinder(Shape):
    """A cylinder about z, its middle at the origin."""

    radius: float
    length: float

    @property
    def volume(self) -> float:
        return math.pi * self.radius**2 * self.length

    def _inertia(self, mass: float) -> Inertia:
        return Inertia.cylinder(mass, self.radius, self.length)


@frozen(eq=False)
class Capsule(Shape):
    """A cylinder about z with half balls at both ends; `length` is the cylinder's."""

    radius: float
    length: float

    @property
    def volume(self) -> float:
        return math.pi * self.radius**2 * (self.length + 4 / 3 * self.radius)

    def _inertia(self, mass: float) -> Inertia:
        return Inertia.capsule(mass, self.radius, self.length)


@frozen(eq=False)
class Torus(Shape):
    """A ring about z."""

    major: float
    minor: float

    @property
    def volume(self) -> float:
        return 2 * math.pi**2 * self.major * self.minor**2

    def _inertia(self, mass: float) -> Inertia:
        return Inertia.torus(mass, self.major, self.minor)
