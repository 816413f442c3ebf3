"""Small symmetric positive systems (up to 6x6) over any scalar: LDL^T with exact zeros exploited, no square roots."""

from collections.abc import Callable

from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar
from anyjoint.spatial import Matrix, Scalars, Vector, dot, minus_dot, zeros

Less = Callable[[Scalar, Scalars, Scalars], Scalar]  # x - a . b, in one order of sums or another


@frozen
class LDL:
    """Omega = L diag(1/inverse) L^T with unit lower L."""

    L: Matrix
    inverse: Vector  # reciprocals of the pivots
    less: Less = minus_dot  # of L^-1; sums of L^-T wait for each other, so that their products are always fused

    def half(self, b: Scalars) -> Vector:
        """L^-1 b."""
        y = zeros(len(b))
        for i in range(len(b)):
            y[i] = self.less(b[i], self.L[i, :i], y[:i])
        return y

    def back(self, w: Scalars) -> Vector:
        """L^-T w."""
        n = len(w)
        x = zeros(n)
        for i in range(n - 1, -1, -1):
            x[i] = minus_dot(w[i], self.L[:i:-1, i], x[:i:-1])  # what is known last goes in last
        return x

    def solve(self, b: Scalars) -> Vector:
        """Omega^-1 b."""
        return self.back(self.half(b) * self.inverse)


def ldl(Omega: Matrix, less: Less = minus_dot) -> LDL:
    """Factor a symmetric positive matrix, reading its lower triangle."""
    n = len(Omega)
    L, inverse, scaled = zeros(n, n), zeros(n), zeros(n, n)
    for j in range(n):
        L[j, j] = 1
        pivot: Scalar = less(Omega[j, j], L[j, :j], scaled[j, :j])
        inverse[j] = 1 / pivot
        for i in range(j + 1, n):
            scaled[i, j] = less(Omega[i, j], scaled[i, :j], L[j, :j])  # L * pivot
            L[i, j] = scaled[i, j] * inverse[j]
    return LDL(L, inverse, less)


def joint_inertia(S: Matrix, U: Matrix, armature: Vector | Matrix) -> Matrix:
    """Omega = S^T J S with U = J S, and what the joint alone feels: a matrix, or its diagonal [SG eq. 28]."""
    Omega = gram(S, U)
    for i, own in enumerate(armature if armature.ndim == 1 else ()):
        Omega[i, i] = Omega[i, i] + own
    return Omega if armature.ndim == 1 else Omega + armature


def felt(own: Vector | Matrix, x: Vector) -> Vector:
    """What a joint alone feels of its own motion x, where `own` is numbers for a diagonal, or a matrix."""
    made: Vector = own * x if own.ndim == 1 else own @ x
    return made


def together(x: Vector | Matrix, y: Vector | Matrix) -> Vector | Matrix:
    """The sum of two such, of which one may be a matrix."""
    if x.ndim == y.ndim:
        return x + y
    whole, diagonal = (x, y) if x.ndim == 2 else (y, x)
    made = whole + 0
    for i, own in enumerate(diagonal):
        made[i, i] = made[i, i] + own
    return made


def gram(S: Matrix, U: Matrix) -> Matrix:
    """S^T U where the product is known to be symmetric: the lower triangle, mirrored."""
    n = S.shape[1]
    out = zeros(n, n)
    for i in range(n):
        for j in range(i + 1):
            out[i, j] = out[j, i] = dot(S[:, i], U[:, j])
    return out
