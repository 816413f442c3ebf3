"""Fewer factors where that is cheaper: twists and inertias pass one dense rotation instead of several."""

from anyjoint.scalar import Scalar, known
from anyjoint.spatial import Factor, Matrix, Pose, Translation, Turn, as_matrix

SPARSE = 5  # a rotation about a coordinate axis has five entries that are not 0; it is cheap to pass
NOISE = 1e-15


def condensed(pose: Pose) -> Pose:
    """The same pose with everything from the first to the last dense rotation multiplied out."""
    dense = [k for k, factor in enumerate(pose.factors) if is_dense(factor)]
    if len(dense) < 2:
        return pose
    first, last = dense[0], dense[-1] + 1
    while first > 0 and isinstance(pose.factors[first - 1], Translation):
        first -= 1
    inner = Pose(pose.factors[first:last])
    x, y, z = inner.p
    product = (Translation((x, y, z)), Turn(as_matrix([[snapped(x) for x in row] for row in inner.R])))
    return Pose((*pose.factors[:first], *product, *pose.factors[last:]))


def is_dense(factor: Factor) -> bool:
    """A general rotation that is not close to an elementary one or a permutation of axes."""
    return isinstance(factor, Turn) and entries(factor.R) > SPARSE


def entries(R: Matrix) -> int:
    """How many entries are not known to be 0, 1 or -1."""
    return sum(known(x) not in (0.0, 1.0, -1.0) for x in R.ravel())


def snapped(x: Scalar) -> Scalar:
    """Constants that are 0, 1 or -1 but for rounding, made exact."""
    value = known(x)
    return round(value) if value is not None and abs(value - round(value)) < NOISE else x
