"""Inertia of a rigid body: mass, centre of mass, and the tensor about the centre of mass in body axes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Any

import numpy as np

from anyjoint.errors import InputError
from anyjoint.frozen import frozen
from anyjoint.scalar import is_real, reals
from anyjoint.spatial import Matrix, Pose

from . import log_cholesky
from .solid import mesh_integrals

TOLERANCE = 1e-9  # relative: how far a tensor may be from symmetric, positive, and the triangle inequality


@frozen(eq=False)
class Inertia:
    """Mass, centre of mass `com` and 3x3 `tensor` about the centre of mass, both in the body's axes.

    `physical=False` keeps numbers that no solid can have, as files of robots hold them; they must still be finite.

    >>> import anyjoint as aj
    >>> ball = aj.Inertia.sphere(2.0, radius=0.1)
    >>> ball.tensor.diagonal().round(6).tolist()
    [0.008, 0.008, 0.008]
    >>> aj.Inertia(mass=1.0, com=(0, 0, -0.5), tensor=[[0.08, 0, 0], [0, 0.08, 0], [0, 0, 0.01]]).mass
    1.0
    """

    mass: float
    com: Any = (0.0, 0.0, 0.0)
    tensor: Any = field(default=((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)))
    physical: bool = field(default=True, kw_only=True)

    def __post_init__(self) -> None:
        problems = inertia_problems(self.mass, self.com, self.tensor, self.physical)
        if problems:
            raise InputError("Inertia: " + "; ".join(problems))
        tensor = np.array(self.tensor, dtype=float)
        object.__setattr__(self, "mass", float(self.mass))
        object.__setattr__(self, "com", _constant(np.array(self.com, dtype=float)))
        object.__setattr__(self, "tensor", _constant((tensor + tensor.T) / 2))

    # -- solids of constant density ---------------------------------------------------------------

    @staticmethod
    def point(mass: float, at: Sequence[float] = (0.0, 0.0, 0.0)) -> Inertia:
        """A point mass."""
        return Inertia(mass, at)

    @staticmethod
    def box(mass: float, x: float, y: float, z: float) -> Inertia:
        """A solid box with edges x, y, z about the origin."""
        _positive("box", x=x, y=y, z=z)
        return _principal(mass, (y * y + z * z) / 12, (x * x + z * z) / 12, (x * x + y * y) / 12)

    @staticmethod
    def sphere(mass: float, radius: float) -> Inertia:
        """A solid ball."""
        _positive("sphere", radius=radius)
        return _principal(mass, *(0.4 * radius**2,) * 3)

    @staticmethod
    def ellipsoid(mass: float, a: float, b: float, c: float) -> Inertia:
        """A solid ellipsoid with semi-axes a, b, c."""
        _positive("ellipsoid", a=a, b=b, c=c)
        return _principal(mass, (b * b + c * c) / 5, (a * a + c * c) / 5, (a * a + b * b) / 5)

    @staticmethod
    def cylinder(mass: float, radius: float, length: float) -> Inertia:
        """A solid cylinder about z."""
        _positive("cylinder", radius=radius, length=length)
        across = radius**2 / 4 + length**2 / 12
        return _principal(mass, across, across, radius**2 / 2)

    @staticmethod
    def capsule(mass: float, radius: float, length: float) -> Inertia:
        """A solid cylinder about z, `length` long, closed by two half balls."""
        _positive("capsule", radius=radius, length=length)
        r, h = radius, length
        barrel, caps = h / (h + 4 * r / 3), (4 * r / 3) / (h + 4 * r / 3)  # shares of the volume
        # A half ball's centre is 3r/8 above its plane.
        across = barrel * (r**2 / 4 + h**2 / 12) + caps * (0.4 * r**2 + h**2 / 4 + 3 * h * r / 8)
        return _principal(mass, across, across, barrel * r**2 / 2 + caps * 0.4 * r**2)

    @staticmethod
    def torus(mass: float, major: float, minor: float) -> Inertia:
        """A solid ring about z: a disc of radius `minor` led around a circle of radius `major`."""
        _positive("torus", major=major, minor=minor)
        if major < minor:
            raise InputError(f"Inertia.torus: major {major} is less than minor {minor}; the ring would cut itself")
        across = major**2 / 2 + 5 * minor**2 / 8
        return _principal(mass, across, across, major**2 + 3 * minor**2 / 4)

    @staticmethod
    def mesh(vertices: Any, faces: Any, *, density: float | None = None, mass: float | None = None) -> Inertia:
        """A closed triangle mesh of constant density, by exact volume integrals; give `density` or `mass`."""
        if (density is None) == (mass is None):
            raise InputError("Inertia.mesh: give either density= or mass=")
        volume, com, second = mesh_integrals(vertices, faces)
        m = float(mass) if mass is not None else float(density or 0.0) * volume
        return Inertia(m, com, m / volume * (np.trace(second) * np.eye(3) - second))

    # -- combining --------------------------------------------------------------------------------

    # -- ten free numbers, for fits -----------------------------------------------------------------

    @staticmethod
    def log_cholesky(theta: Any) -> Inertia:
        """The inertia of ten free numbers (alpha, d1, d2, d3, s12, s23, s13, t1, t2, t3): always that of some solid.

        With U the upper triangular matrix of e^d on the diagonal, s beside it, t and 1 in the last column, the integral
        of (r, 1) (r, 1)^T is e^(2 alpha) U U^T: mass is e^(2 alpha), and t the centre of mass.

        >>> import numpy as np
        >>> import anyjoint as aj
        >>> brick = aj.Inertia.box(2.0, 0.1, 0.2, 0.3)
        >>> np.allclose(aj.Inertia.log_cholesky(brick.log_cholesky_parameters).tensor, brick.tensor)
        True
        """
        try:
            given = reals(theta)
        except (TypeError, ValueError):
            raise InputError(f"Inertia.log_cholesky: theta={theta!r}; expected ten finite numbers") from None
        if given.shape != (10,):
            raise InputError(f"Inertia.log_cholesky: theta has shape {given.shape}; expected ten finite numbers")
        with np.errstate(over="ignore", invalid="ignore"):
            mass, com, tensor = log_cholesky.moments(given)
        if not np.isfinite([mass, *com, *tensor.ravel()]).all():
            raise InputError(f"Inertia.log_cholesky: theta={theta!r}; expected ten finite numbers of ordinary size")
        return Inertia(mass, com, tensor)

    @property
    def log_cholesky_parameters(self) -> Matrix:
        """The ten numbers that `Inertia.log_cholesky` makes this inertia of."""
        integral = 0.5 * np.trace(self.tensor) * np.eye(3) - self.tensor
        if not self.mass > 0 or not np.linalg.eigvalsh(integral)[0] > 0:
            raise InputError(
                f"log_cholesky_parameters: {self!r} is not that of a solid with volume; its logarithms would be "
                "infinite: give it mass and some extent in every direction"
            )
        return log_cholesky.parameters(self.mass, self.com, self.tensor)

    def __add__(self, other: Inertia) -> Inertia:
        """Both bodies welded together."""
        mass = self.mass + other.mass
        if mass == 0:
            return Inertia(0.0, self.com, self.tensor + other.tensor, physical=self.physical and other.physical)
        com = (self.mass * self.com + other.mass * other.com) / mass
        tensor = self.about(com) + other.about(com)
        return Inertia(mass, com, tensor, physical=self.physical and other.physical)

    def about(self, point: Sequence[float]) -> Matrix:
        """The 3x3 tensor about any point (parallel axes)."""
        d = self.com - np.asarray(point, dtype=float)
        return np.asarray(self.tensor + self.mass * (d @ d * np.eye(3) - np.outer(d, d)))

    def moved(self, pose: Pose) -> Inertia:
        """The same solid placed by a pose: turned and shifted."""
        T = pose.matrix
        R, p = T[:3, :3], T[:3, 3]
        return Inertia(self.mass, R @ self.com + p, R @ self.tensor @ R.T, physical=self.physical)

    def rotated(self, R: Any) -> Inertia:
        """The same solid turned by a 3x3 rotation about the origin."""
        return self.moved(Pose.from_rotation(R))

    def scaled(self, factor: float) -> Inertia:
        """The same solid with its density multiplied."""
        return Inertia(self.mass * factor, self.com, self.tensor * factor, physical=self.physical)

    def spatial(self) -> Matrix:
        """The 6x6 inertia about the body's origin, angular part first [SG eq. 5]."""
        spatial: Matrix = spatial_inertias([self])[0]
        return spatial

    @property
    def is_zero(self) -> bool:
        """True for a massless body."""
        return self.mass == 0 and not self.tensor.any()

    @property
    def is_definite(self) -> bool:
        """True if every motion of the body has kinetic energy."""
        return are_definite([self])[0]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Inertia):
            return NotImplemented
        same = np.array_equal(self.com, other.com) and np.array_equal(self.tensor, other.tensor)
        return self.mass == other.mass and same

    def __hash__(self) -> int:
        return hash((self.mass, self.com.tobytes(), self.tensor.tobytes()))

    def __repr__(self) -> str:
        kept = "" if self.physical else ", physical=False"
        return f"Inertia(mass={self.mass}, com={tuple(self.com.tolist())}, tensor={self.tensor.tolist()}{kept})"


def inertia_problems(mass: Any, com: Any, tensor: Any, physical: bool = True) -> list[str]:
    """Everything that is wrong with mass, centre of mass and tensor, a sentence each; `physical` asks for a solid."""
    problems = []
    try:
        m, c, I = reals(mass), reals(com), reals(tensor)
    except (TypeError, ValueError):
        return [f"mass {mass!r}, com {com!r} and tensor {tensor!r} must be numbers, three numbers and a 3x3 matrix"]
    if m.shape != () or not np.isfinite(m) or m < 0:
        problems.append(f"mass {m} must be finite and not negative; give a mass in kilograms")
    if c.shape != (3,) or not np.isfinite(c).all():
        problems.append(f"com {com!r} must be three finite numbers, the centre of mass in the body's frame")
    if I.shape != (3, 3) or not np.isfinite(I).all():
        problems.append(f"tensor {tensor!r} must be a 3x3 matrix of finite numbers about the centre of mass")
        return problems
    return problems + (_tensor_problems(I, zero_mass=bool(m == 0)) if physical else [])


def _tensor_problems(I: Matrix, zero_mass: bool) -> list[str]:
    scale = float(np.abs(I).max())
    if np.abs(I - I.T).max() > TOLERANCE * scale:
        return [f"tensor {I.tolist()} is not symmetric; off-diagonal entries come in equal pairs Ixy = Iyx"]
    a, b, c = (float(x) for x in np.linalg.eigvalsh((I + I.T) / 2))
    moments = f"principal moments ({a:.6g}, {b:.6g}, {c:.6g})"
    if a < -TOLERANCE * scale:
        return [f"{moments}: a moment of inertia is never negative; check signs and the reference point (the com)"]
    if a + b < c * (1 - TOLERANCE):
        return [
            f"{moments} break the triangle inequality: {a:.6g} + {b:.6g} < {c:.6g}, which no solid can have; "
            "check units and that the tensor is about the centre of mass"
        ]
    if zero_mass and scale > 0:
        return [f"{moments} without mass; give the body a mass, or a tensor of zero"]
    return []


def _principal(mass: float, x: float, y: float, z: float) -> Inertia:
    if not is_real(mass) or not 0 < mass < np.inf:
        return Inertia(mass)  # a bad mass is reported as such and not as a bad tensor
    return Inertia(mass, tensor=mass * np.diag([x, y, z]))


def _positive(solid: str, **sizes: float) -> None:
    for name, value in sizes.items():
        if not (is_real(value) and np.isfinite(value) and value > 0):
            raise InputError(f"Inertia.{solid}: {name} = {value!r} must be a positive, finite number")


def _constant(array: Matrix) -> Matrix:
    array.flags.writeable = False
    return array


def are_definite(inertias: Sequence[Inertia]) -> list[bool]:
    """Of many bodies at once: whether every motion of the body has kinetic energy."""
    moments = np.linalg.eigvalsh(np.array([x.tensor for x in inertias]).reshape(-1, 3, 3))
    mass = np.array([x.mass for x in inertias])
    definite: list[bool] = ((mass > 0) & (moments[:, 0] > TOLERANCE * moments[:, 2])).tolist()
    return definite


def spatial_inertias(inertias: Sequence[Inertia]) -> Matrix:
    """6x6 inertias about the bodies' origins of many bodies at once."""
    mass, com, tensor = ([getattr(x, name) for x in inertias] for name in ("mass", "com", "tensor"))
    return spatial_matrix(np.array(mass), np.reshape(com, (-1, 3)), np.reshape(tensor, (-1, 3, 3)))


def spatial_matrix(mass: Any, com: Any, tensor: Any) -> Matrix:
    """6x6 inertias about the origin, angular part first [SG eq. 5], from stacks of masses, centres and tensors."""
    m, x, y, z = np.asarray(mass)[..., None, None], com[..., 0], com[..., 1], com[..., 2]
    c = np.zeros((*np.shape(x), 3, 3))
    c[..., 0, 1], c[..., 0, 2], c[..., 1, 0], c[..., 1, 2], c[..., 2, 0], c[..., 2, 1] = -z, y, z, -x, -y, x
    with np.errstate(over="ignore", invalid="ignore"):  # whoever uses them sees what is not finite
        about = tensor - m * (c @ c)
        J = np.zeros((*np.broadcast_shapes(m.shape, about.shape)[:-2], 6, 6))
        J[..., :3, :3], J[..., :3, 3:], J[..., 3:, :3], J[..., 3:, 3:] = about, m * c, -m * c, m * np.eye(3)
    return J
