"""MuJoCo's step with equality constraints (soft), many steps in one call into its C library."""

from __future__ import annotations

import numpy as np

from bench.constrained_models import Case
from bench.peers import coordinates, mjcf
from bench.peers.constrained_protocol import Measured, main
from bench.peers.protocol import best_time

STEPS = 10


def measure(case: Case, seconds: float) -> dict[str, Measured]:
    """mj_step from the first state on, again and again; a step is not an acceleration, so there is no answer."""
    import mujoco

    model = mujoco.MjModel.from_xml_string(text(case))
    model.opt.timestep = 1e-4
    data, neutral = mujoco.MjData(model), coordinates.mujoco(case.model)
    q, v = neutral.q(case.q)[0], neutral.v(case.q, case.v)[0]

    def call(_: int) -> None:
        mujoco.mj_resetData(model, data)
        data.qpos[:], data.qvel[:] = q, v
        mujoco.mj_step(model, data, nstep=STEPS)

    return {"mj_step": Measured(np.zeros(0), best_time(call, 1, max(seconds, 1e-3)) / STEPS)}


def text(case: Case) -> str:
    """MJCF with `connect` for points and `weld` for frames."""
    lines = []
    for row in case.held:
        point = " ".join(map(repr, row.poses[0][:3, 3].tolist()))
        other = f' body2="b{row.second}"' if row.second >= 0 else ""
        lines.append(f'<{"connect" if row.rows == 3 else "weld"} body1="b{row.first}"{other} anchor="{point}"/>')
    equality = "\n".join(["<equality>", *lines, "</equality>", "</mujoco>"])
    return mjcf.text(case.model).replace(' constraint="disable"', "").replace("</mujoco>", equality)


if __name__ == "__main__":
    main(measure)
