"""Where physics meets the compiler: plans, traces, programs, and the Model that users call."""

from .model import Model, compile_model
from .target import Target

__all__ = ["Model", "Target", "compile_model"]
