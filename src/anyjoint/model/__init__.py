"""Where physics meets the compiler: plans, traces, programs, and the Model that users call."""

from .model import Model, compile_model

__all__ = ["Model", "compile_model"]
