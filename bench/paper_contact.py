"""Figure 2 of Pai, Ascher & Kry: `python -m bench.paper_contact [--plots docs/_static]`.

A curved Bezier patch slips and rocks on a smooth plate. They report that "the center of mass correctly moves only in
the vertical direction", and 1.2 ms per step in Java on a Pentium II; printed are how straight it moves here, how normal
the contact wrench is, and what an evaluation takes. The plot shows height, sideways drift and the contact force.
"""

from __future__ import annotations

import argparse
import runpy
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from anyjoint.mechanism import Mechanism
from anyjoint.model import Model
from anyjoint.simulate import Trajectory
from bench.figure import pyplot, save

EXAMPLE = Path(__file__).parent.parent / "examples" / "patch_on_plate.py"
PAPER_MS = 1.2


@dataclass(frozen=True)
class Slip:
    """A run of the patch: the centre of mass, and the contact wrench in the contact's frame, angular part first."""

    t: np.ndarray
    centre: np.ndarray
    wrench: np.ndarray
    energy: np.ndarray

    @property
    def tangential(self) -> float:
        """The largest force along the plate or couple about the contact, beside the largest force on it."""
        return float(np.abs(np.delete(self.wrench, 5, axis=1)).max() / np.abs(self.wrench[:, 5]).max())


def mechanism() -> Mechanism:
    """The gallery's mechanism."""
    return runpy.run_path(str(EXAMPLE))["build"]()  # type: ignore[no-any-return]


def measure(model: Model, run: Trajectory) -> Slip:
    """Where the centre of mass is, and what the contact passes on, at every sample."""
    joint, com = model.mechanism.bodies[0].joint, model.mechanism.bodies[0].inertia.com
    poses = model.body_poses(run.q)[:, 0]
    wrenches = model.joint_wrenches(run.q, run.v, model.forward_dynamics(run.q, run.v))[:, 0]
    frames = [joint.surface2.frame(float(q[2]), float(q[3])).matrix.astype(float) for q in run.q]
    seen = [
        np.concatenate([T[:3, :3].T @ (w[:3] - np.cross(T[:3, 3], w[3:])), T[:3, :3].T @ w[3:]])
        for T, w in zip(frames, wrenches, strict=True)
    ]
    return Slip(run.t, poses[:, :3, :3] @ com + poses[:, :3, 3], np.array(seen), np.sum(run.energy(), axis=0))


def draw(slip: Slip, folder: Path) -> None:
    """Height and force above, sideways drift below."""
    plot = pyplot()
    figure, (above, below) = plot.subplots(1, 2, figsize=(9, 3.0), layout="constrained")
    above.plot(slip.t, slip.centre[:, 2], label="height of the centre of mass, m")
    above.plot(slip.t, -slip.wrench[:, 5] / 40, label="contact force, 40 N")
    above.set(xlabel="time, s", ylim=(0, 2.4))
    above.legend(frameon=False)
    for k, name in enumerate("xy"):
        below.semilogy(slip.t[1:], np.abs(slip.centre[1:, k] - slip.centre[0, k]) + 1e-18, label=f"drift in {name}, m")
    force = np.abs(slip.wrench[:, 3:5]).max(axis=1) + 1e-18
    below.semilogy(slip.t, force, label="tangential force, N")
    below.set(xlabel="time, s")
    below.legend(frameon=False)
    save(figure, folder / "patch_on_plate.svg")


def main() -> None:
    parser = argparse.ArgumentParser(description="Figure 2 of Pai, Ascher & Kry.")
    parser.add_argument("--plots", type=Path, help="folder for patch_on_plate.svg")
    options = parser.parse_args()
    mech = mechanism()
    model = mech.compile()
    run = model.simulate(*mech.start, duration=6.0, dt=1e-3, method="rk4", save_every=10)
    slip = measure(model, run)
    begin = time.perf_counter()
    model.simulate(*mech.start, duration=6.0, dt=1e-3, method="rk4", save_every=6000)
    per_step = (time.perf_counter() - begin) / 6000
    drift = np.ptp(slip.centre[:, :2], axis=0).max()
    print("a patch on a smooth plate, 6 s, rk4 at 1 ms                       here      paper")
    print(f"centre of mass: drift sideways, m                          {drift:8.1e}       none")
    print(f"                way up and down, m                         {np.ptp(slip.centre[:, 2]):8.3f}")
    print(f"contact wrench: other than normal, share                   {slip.tangential:8.1e}       none")
    print(f"energy: largest change, J                                  {np.ptp(slip.energy):8.1e}")
    print(f"a step of four evaluations, ms                             {per_step * 1e3:8.4f}       {PAPER_MS}")
    if options.plots:
        draw(slip, options.plots)


if __name__ == "__main__":
    main()
