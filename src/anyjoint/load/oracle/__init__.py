"""Other engines as oracles for loaded files: the same model at the same states, one file per engine."""

from .compare import ENGINES, Comparison, OracleRefused, compared

__all__ = ["ENGINES", "Comparison", "OracleRefused", "compared"]
