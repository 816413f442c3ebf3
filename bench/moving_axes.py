"""Derivatives of dynamics for joints whose axes move, here and in Pinocchio: `python -m bench.moving_axes`.

A hinge, the joint in question, and another hinge; for each engine the derivatives that it offers against differences of
its own inverse and forward dynamics. Needs the pin wheel (`pip install pin`), as the tests do.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

import anyjoint as aj
from anyjoint import joints, surfaces

Array = np.ndarray[Any, np.dtype[Any]]
Matrices = tuple[Array, Array]
H = 1e-3  # of differences of fourth order


def main() -> int:
    """Print the table."""
    import pinocchio as pin

    print("relative errors of derivatives by q and v, against differences of the same engine's own dynamics\n")
    print("| joint | engine | inverse, q | inverse, v | forward, q | forward, v |\n|---|---|--:|--:|--:|--:|")
    for name, theirs, own in cases(pin):
        rows = {"Pinocchio " + pin.__version__: pinocchio_errors(pin, theirs), "anyjoint": own_errors(own)}
        for engine, errors in rows.items():
            print(f"| {name} | {engine} | {' | '.join(f'{x:.1e}' for x in errors)} |")
    return 0


def cases(pin: Any) -> list[tuple[str, Any, joints.Joint]]:
    """The joints that both engines have, or nearly: name, theirs, ours."""
    composite = pin.JointModelComposite(pin.JointModelRX())
    composite.addJoint(pin.JointModelRY(), pin.SE3.Random())
    zyx = joints.Composite(*(joints.Revolute(axis) for axis in np.eye(3)[::-1]))
    pair = joints.Composite(joints.Revolute((1, 0, 0)), joints.Revolute((0, 1, 0)))
    found = [
        ("quaternion", pin.JointModelSpherical(), joints.SphericalQuaternion()),
        ("three hinges ZYX", pin.JointModelSphericalZYX(), zyx),
        ("universal", pin.JointModelUniversal(np.array([1.0, 0, 0]), np.array([0, 1.0, 0])), joints.Universal()),
        ("two hinges in one joint", composite, pair),
    ]
    if hasattr(pin, "JointModelEllipsoid"):
        on = joints.OnSurface(surfaces.Ellipsoid(0.3, 0.2, 0.4), spin=True)
        found.append(("on an ellipsoid", pin.JointModelEllipsoid(0.3, 0.2, 0.4), on))
    return found


def pinocchio_errors(pin: Any, joint: Any) -> list[float]:
    """Errors of computeRNEADerivatives and computeABADerivatives."""
    pin.seed(0)
    np.random.seed(0)  # inertias come from there
    model = pin.Model()
    last = 0
    for k, kind in enumerate((pin.JointModelRY(), joint, pin.JointModelRX())):
        last = model.addJoint(last, kind, pin.SE3.Random(), f"joint {k}")
        model.appendBodyToJoint(last, pin.Inertia.Random(), pin.SE3.Identity())
    data, rng = model.createData(), np.random.default_rng(0)
    q = pin.randomConfiguration(model, -np.ones(model.nq), np.ones(model.nq))
    v, u = rng.normal(size=(2, model.nv))
    pin.computeRNEADerivatives(model, data, q, v, u)
    inverse = data.dtau_dq.copy(), data.dtau_dv.copy()
    pin.computeABADerivatives(model, data, q, v, u)
    forward = data.ddq_dq.copy(), data.ddq_dv.copy()
    found = []
    for function, matrices in ((pin.rnea, inverse), (pin.aba, forward)):
        at = lambda d, w, function=function: function(model, data, pin.integrate(model, q, d), w, u).copy()  # noqa: E731
        found += errors(at, v, matrices)
    return found


def own_errors(joint: joints.Joint) -> list[float]:
    """Errors of our derivatives, of the same chain."""
    rng = np.random.default_rng(0)
    mech = aj.Mechanism("chain")
    last: Any = mech.ground
    for k, kind in enumerate((joints.Revolute((0, 1, 0)), joint, joints.Revolute((1, 0, 0)))):
        place = aj.Pose.translation(*rng.normal(size=3)) @ aj.Pose.rpy(*rng.normal(size=3))
        solid = aj.Inertia.box(1.0 + k, 0.3, 0.4, 0.5).moved(aj.Pose.translation(*(0.3 * rng.normal(size=3))))
        last = mech.add_body(f"body {k}", last, kind, place, solid)
    model = mech.compile()
    q = rng.uniform(0.2, 0.6, model.nq)
    if model.nq != model.nv:
        q[1:5] /= np.linalg.norm(q[1:5])
    v, u = rng.normal(size=(2, model.nv))
    d, e = model.inverse_dynamics_derivatives(q, v, u), model.forward_dynamics_derivatives(q, v, u)
    found = []
    for function, matrices in ((model.inverse_dynamics, (d.q, d.v)), (model.forward_dynamics, (e.q, e.v))):
        at = lambda x, w, function=function: function(moved(model, q, x), w, u)  # noqa: E731
        found += errors(at, v, matrices)
    return found


def moved(model: Any, q: Array, d: Array) -> Array:
    """Coordinates after a small motion at constant velocities d, by one step of fourth order."""
    rates = [np.asarray(model.coordinate_rates(q, d))]
    for c in (0.5, 0.5, 1.0):
        rates.append(np.asarray(model.coordinate_rates(q + c * rates[-1], d)))
    return q + (rates[0] + 2 * rates[1] + 2 * rates[2] + rates[3]) / 6


def errors(function: Callable[[Array, Array], Array], v: Array, matrices: Matrices) -> list[float]:
    """Largest differences to those by differences, relative to the largest entry."""
    n = len(v)
    rest = np.zeros(n)
    by_q = np.stack([_slope(lambda x, e=e: function(x * e, v)) for e in np.eye(n)], axis=1)
    by_v = np.stack([_slope(lambda x, e=e: function(rest, v + x * e)) for e in np.eye(n)], axis=1)
    return [float(np.abs(a - b).max() / np.abs(b).max()) for a, b in zip(matrices, (by_q, by_v), strict=True)]


def _slope(f: Callable[[float], Array]) -> Array:
    return np.asarray((8 * (f(H) - f(-H)) - (f(2 * H) - f(-2 * H))) / (12 * H))


if __name__ == "__main__":
    sys.exit(main())
