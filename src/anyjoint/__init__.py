"""anyjoint: any joint you can write as a function. Linear-time dynamics, compiled."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

# Public names by the module that defines them; loaded when first used, so that importing anyjoint is quick.
_NAMES = {
    "anyjoint.codegen": ["compile_function"],
    "anyjoint.constraints": ["constraint", "velocity_constraint"],
    "anyjoint.errors": [
        "AnyjointError", "ExpressionError", "InputError", "JointError", "ModelError", "SingularityError",
    ],
    "anyjoint.joints": ["joint"],
    "anyjoint.load": ["load"],
    "anyjoint.load.own": ["save"],
    "anyjoint.mechanism": ["Inertia", "Mechanism"],
    "anyjoint.model": ["Model", "Target", "compile_model"],
    "anyjoint.optimal": ["identify", "lqr", "optimise"],
    "anyjoint.scalar": [
        "absolute", "acos", "asin", "atan2", "cos", "derivative", "exp", "floor", "gather", "log", "maximum", "minimum",
        "power", "select", "sin", "sqrt", "tan",
    ],
    "anyjoint.simulate": ["Event", "Trajectory"],
    "anyjoint.spatial": ["Pose"],
    "anyjoint.sweep": ["SweepResult", "choice", "grid", "log_normal", "normal", "sweep", "uniform"],
    "anyjoint.symbolic": ["Graph", "Node", "variables"],
    "anyjoint.symbolic.derivative": ["hessian", "jacobian", "jvp", "time_derivative", "vjp"],
}  # fmt: skip
_MODULES = {
    "curves": "anyjoint.geometry.curves",
    "distances": "anyjoint.geometry.distances",
    "forces": "anyjoint.forces",
    "functions": "anyjoint.geometry.functions",
    "gallery": "anyjoint.mechanism.gallery",
    "joints": "anyjoint.joints",
    "shapes": "anyjoint.mechanism.shapes",
    "surfaces": "anyjoint.geometry.surfaces",
}
_HOME = {name: module for module, names in _NAMES.items() for name in names}

if TYPE_CHECKING:
    from anyjoint import forces as forces
    from anyjoint import joints as joints
    from anyjoint.codegen import compile_function as compile_function
    from anyjoint.constraints import constraint as constraint
    from anyjoint.constraints import velocity_constraint as velocity_constraint
    from anyjoint.errors import AnyjointError as AnyjointError
    from anyjoint.errors import ExpressionError as ExpressionError
    from anyjoint.errors import InputError as InputError
    from anyjoint.errors import JointError as JointError
    from anyjoint.errors import ModelError as ModelError
    from anyjoint.errors import SingularityError as SingularityError
    from anyjoint.geometry import curves as curves
    from anyjoint.geometry import distances as distances
    from anyjoint.geometry import functions as functions
    from anyjoint.geometry import surfaces as surfaces
    from anyjoint.joints import joint as joint
    from anyjoint.load import load as load
    from anyjoint.load.own import save as save
    from anyjoint.mechanism import Inertia as Inertia
    from anyjoint.mechanism import Mechanism as Mechanism
    from anyjoint.mechanism import gallery as gallery
    from anyjoint.mechanism import shapes as shapes
    from anyjoint.model import Model as Model
    from anyjoint.model import Target as Target
    from anyjoint.model import compile_model as compile_model
    from anyjoint.optimal import identify as identify
    from anyjoint.optimal import lqr as lqr
    from anyjoint.optimal import optimise as optimise
    from anyjoint.scalar import absolute as absolute
    from anyjoint.scalar import acos as acos
    from anyjoint.scalar import asin as asin
    from anyjoint.scalar import atan2 as atan2
    from anyjoint.scalar import cos as cos
    from anyjoint.scalar import derivative as derivative
    from anyjoint.scalar import exp as exp
    from anyjoint.scalar import floor as floor
    from anyjoint.scalar import gather as gather
    from anyjoint.scalar import log as log
    from anyjoint.scalar import maximum as maximum
    from anyjoint.scalar import minimum as minimum
    from anyjoint.scalar import power as power
    from anyjoint.scalar import select as select
    from anyjoint.scalar import sin as sin
    from anyjoint.scalar import sqrt as sqrt
    from anyjoint.scalar import tan as tan
    from anyjoint.simulate import Event as Event
    from anyjoint.simulate import Trajectory as Trajectory
    from anyjoint.spatial import Pose as Pose
    from anyjoint.sweep import SweepResult as SweepResult
    from anyjoint.sweep import choice as choice
    from anyjoint.sweep import grid as grid
    from anyjoint.sweep import log_normal as log_normal
    from anyjoint.sweep import normal as normal
    from anyjoint.sweep import uniform as uniform
    from anyjoint.sweep.sweep import sweep as sweep
    from anyjoint.symbolic import Graph as Graph
    from anyjoint.symbolic import Node as Node
    from anyjoint.symbolic import variables as variables
    from anyjoint.symbolic.derivative import hessian as hessian
    from anyjoint.symbolic.derivative import jacobian as jacobian
    from anyjoint.symbolic.derivative import jvp as jvp
    from anyjoint.symbolic.derivative import time_derivative as time_derivative
    from anyjoint.symbolic.derivative import vjp as vjp


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        globals()[name] = _loaded(_MODULES[name])
    elif name in _HOME:
        home = _loaded(_HOME[name])
        # All of its names: one of them may be that of the folder itself, which importing has put in its place.
        globals().update({other: getattr(home, other) for other in _NAMES[_HOME[name]]})
    else:
        raise AttributeError(f"module 'anyjoint' has no attribute {name!r}")
    return globals()[name]


def _loaded(module: str) -> Any:
    from .garbage import postponed  # here, since importing anyjoint alone needs nothing

    with postponed():
        return importlib.import_module(module)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOME, *_MODULES])


__all__ = ["__version__", *_HOME, *_MODULES]
