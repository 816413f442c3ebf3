"""Names for arrays: what programs compute with, and what users hand in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike as ArrayLike
else:
    ArrayLike = Any  # numpy.typing takes longer to import than all that needs it

Floats = np.ndarray[Any, np.dtype[Any]]  # of the type that a model was compiled for, or float64
Dtype = np.dtype[Any]  # which type that is
Ints = np.ndarray[Any, np.dtype[np.intp]]
