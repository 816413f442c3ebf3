"""Pictures of fits and of optimisations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from anyjoint.optional import optional

if TYPE_CHECKING:
    from .descent import Optimised
    from .fit import Identified

MOST = 6  # columns that fit into one picture


def figure(rows: int, columns: int, height: float) -> Any:
    """A figure that shows itself in a notebook and is not kept by pyplot."""
    library = optional("matplotlib.figure", "plot: matplotlib is not installed; pip install 'anyjoint[plots]'")
    made = library.Figure(figsize=(9, height), layout="constrained")
    return made, np.atleast_1d(made.subplots(rows, columns)).ravel()


def plot_fit(fit: Identified) -> Any:
    """Measured and fitted columns one below the other, and the residuals over the iterations."""
    n = min(fit.measured.shape[1], MOST)
    made, axes = figure(n + 1, 1, 1.6 * (n + 1) + 0.6)
    x = fit.t if fit.t is not None else np.arange(len(fit.measured))
    for k in range(n):
        axes[k].plot(x, fit.measured[:, k], ".", markersize=3, color="0.55", label="measured")
        axes[k].plot(x, fit.fitted[:, k], linewidth=1.4, color="C0", label="fitted")
        axes[k].set_ylabel(f"{'q' if fit.t is not None else 'tau'}[{k}]")
    axes[0].legend(loc="upper right", frameon=False, ncols=2)
    axes[n - 1].set_xlabel("time in s" if fit.t is not None else "state")
    axes[n].semilogy(fit.history, "o-", markersize=4, color="C3")
    axes[n].set_xlabel("iteration")
    axes[n].set_ylabel("rms of residuals")
    for axis in axes:
        axis.grid(alpha=0.25)
    return made


def plot_optimum(found: Optimised) -> Any:
    """The cost over the iterations, and the motion and inputs that were found."""
    traj = found.traj
    assert traj.run is not None  # the runs of a search can be differentiated
    drive = traj.run.drive
    has_input = drive.times is not None
    made, axes = figure(2 + has_input, 1, 2.4 * (2 + has_input))
    costs = np.array([cost for cost, _ in found.history])
    axes[0].plot(costs, color="C3")
    axes[0].set_yscale("log" if (costs > 0).all() else "linear")
    axes[0].set_xlabel("iteration")
    axes[0].set_ylabel("cost")
    for k in range(min(traj.q.shape[1], MOST)):
        axes[1].plot(traj.t, traj.q[:, k], label=f"q[{k}]")
    axes[1].set_ylabel("coordinates")
    axes[1].set_xlabel("time in s")
    axes[1].legend(loc="upper left", frameon=False, ncols=MOST)
    if has_input:
        for k in np.flatnonzero(drive.values.any(axis=0))[:MOST]:
            axes[2].plot(drive.times, drive.values[:, k], label=f"tau[{k}]")
        axes[2].set_ylabel("inputs")
        axes[2].set_xlabel("time in s")
        axes[2].legend(loc="upper left", frameon=False, ncols=MOST)
    for axis in axes:
        axis.grid(alpha=0.25)
    return made
