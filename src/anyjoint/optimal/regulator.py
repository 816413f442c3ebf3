"""Feedback that balances: the linear-quadratic regulator about a state of rest."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any

import numpy as np

from anyjoint.errors import InputError
from anyjoint.frozen import frozen
from anyjoint.model.arguments import finite
from anyjoint.model.check_model import check_model
from anyjoint.optional import optional
from anyjoint.options import named_options
from anyjoint.scalar.array import ArrayLike, Floats

if TYPE_CHECKING:
    from anyjoint.model import Model

ROUNDED = 1e-12  # of the largest entry: eigenvalues of weights may be so far below zero
SETTLES = 1e-9  # of the fastest pole: slower ones are none but for rounding
CLOSED = 1e-8  # by how much rows of constraints may be missed at q, in metres and radians
HELD = 1e-9  # of the strongest combination of rows: one that holds nothing
AT_REST = 1e-6  # of gravity's forces: what inputs may leave of accelerations


@frozen
class Regulator:
    """tau = tau0 - K (x - x0), a function of (t, q, v) that `simulate` takes as `tau`; x is (q, v)."""

    q0: Floats
    tau0: Floats
    gain: Floats = field(repr=False)  # (nv, 2 nv)
    poles: Floats  # of the closed loop

    def __call__(self, t: float, q: Floats, v: Floats) -> Floats:
        return np.asarray(self.tau0 - self.gain @ np.concatenate([q - self.q0, v]))


@named_options
def lqr(
    model: Model,
    q: ArrayLike,
    tau: ArrayLike | None = None,
    *,
    Q: Any = 1.0,
    R: Any = 1.0,
    actuated: Sequence[object] | None = None,
) -> Regulator:
    """The feedback that keeps a model at rest at q at the least cost: the integral of x^T Q x + u^T R u.

    `Q` weighs errors of (q, v) and `R` inputs: numbers, diagonals or matrices. `actuated` are the bodies or velocities
    that have inputs (default all). `tau` are the inputs that hold the model at q; by default those that it needs.
    Where loops hold, feedback is about the motions that they leave, of q that `model.assemble` has found.
    """
    check_model("lqr", model)
    linalg = optional("scipy.linalg", "lqr: SciPy is not installed; pip install 'anyjoint[scipy]'")
    if not model.rates_are_velocities:
        raise InputError("lqr: some velocities are no rates of coordinates; feed back errors of these joints yourself")
    free, still = free_velocities(model, actuated, "lqr"), np.zeros(model.nv)
    at = finite("lqr: q", q, (model.nq,))
    needed = model.inverse_dynamics(at, still, still) - model.soft_forces(at, still)
    ways, speeds = free_motions(model, at)
    hold = np.zeros(model.nv) if tau is None else finite("lqr: tau", tau, (model.nv,))
    if tau is None:  # the least that the motions which are left need
        hold[free] = np.linalg.lstsq(speeds[free].T, speeds.T @ needed, rcond=None)[0]
    left = np.abs(model.forward_dynamics(at, still, hold)).max()
    if left > AT_REST * max(np.abs(needed).max(), 1.0):
        raise InputError(f"lqr: the model does not rest at q, it accelerates by {left:.3g}; choose a place of rest")
    basis = linalg.block_diag(ways, speeds)
    A, B = (basis.T @ x for x in model.linearise(at, still, hold))  # at rest, what is on the constraints stays there
    A, B = A @ basis, B[:, free]
    by_state = basis.T @ _weights(Q, 2 * model.nv, "Q") @ basis
    try:
        P = linalg.solve_continuous_are(A, B, (by_state + by_state.T) / 2, _weights(R, len(free), "R"))
    except np.linalg.LinAlgError as error:
        raise InputError("lqr: these inputs cannot balance the model; actuate other joints") from error
    gain = np.linalg.solve(_weights(R, len(free), "R"), B.T @ P)
    K = np.zeros((model.nv, 2 * model.nv))
    K[free] = gain @ basis.T
    poles = np.linalg.eigvals(A - B @ gain)
    if poles.real.max() > -SETTLES * np.abs(poles).max():
        what = f"lqr: the model would not come to rest, it has the pole {poles[poles.real.argmax()]:.3g}"
        free_ride = "some motion is neither driven nor damped, or costs nothing; actuate other joints, or weigh it in Q"
        raise InputError(f"{what}; {free_ride}")
    return Regulator(at, hold, K, poles)


def free_motions(model: Model, q: Floats) -> tuple[Floats, Floats]:
    """Orthonormal columns: changes of the state q, and of its velocities, that hard constraints leave."""
    if not model.hard_rows.any():
        return np.eye(model.nv), np.eye(model.nv)
    missed = model.constraint_residual(q)
    worst = max(missed, key=lambda name: np.abs(missed[name].position).max(initial=0.0))
    by = np.abs(missed[worst].position).max(initial=0.0)
    if by > CLOSED:
        raise InputError(f"lqr: q misses the constraint {worst!r} by {by:.3g}; take q, v = model.assemble(q)")
    G = np.asarray(model.constraint_jacobian(q), dtype=float)
    places = np.array([c.holonomic for c in model.mechanism.constraints for _ in range(c.count)], dtype=bool)
    return _unheld(G[model.hard_rows & places]), _unheld(G[model.hard_rows])


def _unheld(rows: Floats) -> Floats:
    """Orthonormal columns of what rows do not feel."""
    _, sizes, right = np.linalg.svd(rows)
    return np.asarray(right[int(np.sum(sizes > HELD * sizes.max(initial=0.0))) :].T)


def free_velocities(model: Model, actuated: Sequence[Any] | None, what: str) -> Floats:
    """Velocities that have inputs, given by bodies or numbers."""
    if not model.nv:
        raise InputError(f"{what}: nothing in {model.mechanism.name!r} can move; give a model with joints that do")
    if actuated is None:
        return np.arange(model.nv)
    if isinstance(actuated, str) or not isinstance(actuated, Iterable):
        raise InputError(f"{what}: actuated={actuated!r}; expected a list of bodies or velocities")
    chosen: list[int] = []
    for item in actuated:
        if isinstance(item, bool):
            raise InputError(f"{what}: actuated={actuated!r}; expected bodies or numbers of velocities, not truths")
        if isinstance(item, (int, np.integer)):
            chosen.append(int(item))
        else:
            body = model.mechanism.bodies[model.body_index(item)]
            chosen += range(body.v.start, body.v.stop)
    if not chosen or min(chosen) < 0 or max(chosen) >= model.nv:
        raise InputError(f"{what}: actuated={actuated!r}; expected bodies, or velocities below {model.nv}")
    return np.array(sorted(set(chosen)))


def _weights(given: Any, n: int, name: str) -> Floats:
    made = finite(f"lqr: {name}", given, (), (n,), (n, n))
    matrix = np.diag(np.broadcast_to(made, (n,))) if made.ndim < 2 else made
    if not np.array_equal(matrix, matrix.T):
        raise InputError(f"lqr: {name} is not symmetric; give ({name} + {name}.T) / 2, which costs the same")
    least = float(np.linalg.eigvalsh(matrix).min())
    if least < -ROUNDED * float(np.abs(matrix).max()) or (name == "R" and least <= 0):
        wanted = "positive: inputs that cost nothing have no bounds" if name == "R" else "not negative"
        raise InputError(f"lqr: {name} has the eigenvalue {least:.3g}; all must be {wanted}")
    return matrix
