"""Other engines as oracles for loaded files: the same model at the same states, one file per engine."""

from .compare import ENGINES, OracleRefused, differences

__all__ = ["ENGINES", "OracleRefused", "differences"]
