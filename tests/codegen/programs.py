"""Random programs of all operations."""

import random

import numpy as np

from anyjoint.symbolic import select

TABLE = (0.25, -0.5, 1.5, 0.75, -1.0)


def random_outputs(seed, x, operations=60):
    """Outputs over the variables x; operations stay where they are defined, and jumps depend on inputs alone.

    So a rounding error never decides on which side of a jump a value falls.
    """
    rng = random.Random(seed)
    values = list(x)

    def some():
        return rng.choice(values[-12:])

    makers = [
        lambda: some() + some(),
        lambda: some() - some(),
        lambda: 0.7 * some() * some(),
        lambda: some() / (2.0 + some() * some()),
        lambda: -some(),
        lambda: (1.0 + some() * some()).sqrt(),
        lambda: some().sin(),
        lambda: some().cos(),
        lambda: (0.5 * some().sin()).tan(),
        lambda: (0.9 * some().sin()).arcsin(),
        lambda: (0.9 * some().cos()).arccos(),
        lambda: some().arctan2(2.0 + some() * some()),
        lambda: some().sin().exp(),
        lambda: (1.0 + some() * some()).log(),
        lambda: (1.0 + some() * some()) ** some().cos(),
        lambda: abs(some()),
        lambda: some().minimum(some()),
        lambda: some().maximum(some()),
    ]
    jumps = [
        lambda: (3 * rng.choice(list(x))).floor(),
        lambda: select(rng.choice(list(x)) < rng.choice(list(x)), some(), some()),
        lambda: select(rng.choice(list(x)) <= 0.25, some(), some()),
        lambda: (5 * abs(rng.choice(list(x)))).gather(TABLE),
    ]
    for _ in range(operations):
        maker = rng.choice(makers if rng.random() < 0.85 else jumps)
        value = maker()
        values.append(0.25 * value if rng.random() < 0.5 else value.sin())
    return values[-8:]


def random_points(seed, count, inputs=6):
    return np.random.default_rng(seed).uniform(-1, 1, (count, inputs))


def _bits(array):
    return np.ascontiguousarray(array, dtype=np.float64).view(np.int64)


def same_bits(a, b):
    """Equal to the last bit; all NaN are alike."""
    return bool(np.all((_bits(a) == _bits(b)) | (np.isnan(a) & np.isnan(b))))
