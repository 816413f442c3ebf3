"""Code to take away: a C package, JavaScript, equations in LaTeX; all from the list of quantities."""

from .offer import PLAIN, Beside
from .package import export

__all__ = ["PLAIN", "Beside", "export"]
