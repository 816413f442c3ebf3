"""Our own file, `.aj.json`: everything that a mechanism holds, as data."""

from .read import read_own
from .write import save

__all__ = ["read_own", "save"]
