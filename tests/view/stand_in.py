"""A run of a double pendulum that needs no compiler: poses from floats, angles from a formula."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from anyjoint.joints import Revolute
from anyjoint.mechanism import Inertia, Mechanism, shapes
from anyjoint.spatial import Pose
from anyjoint.view import BodyDrawing

PENDULUM_JS = Path(__file__).with_name("pendulum.js").read_text(encoding="utf-8")


def double_pendulum(drawn: bool = True, gravity: tuple[float, float, float] = (0.0, 0.0, -9.81)) -> Mechanism:
    """Two rods with balls, hinged about y."""
    mech = Mechanism("double-pendulum", gravity=gravity)
    middle = Pose.translation(0, 0, -0.5)
    for name in ("upper", "lower"):
        ball = shapes.Sphere(0.1, pose=Pose.translation(0, 0, -1))
        shape = shapes.Group([shapes.Capsule(0.03, 1.0, pose=middle), ball]) if drawn else None
        mech.add_body(
            name,
            parent=mech.bodies[-1] if mech.bodies else None,
            joint=Revolute(axis=(0, 1, 0)),
            placement=Pose.translation(0, 0, -1) if mech.bodies else Pose(),
            inertia=Inertia(1.0, com=(0, 0, -0.5), tensor=np.diag([0.1, 0.1, 0.01])),
            shape=shape,
        )
    return mech


class FloatModel:
    """Just enough of a compiled model: poses over a batch."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        self.nq, self.nv, self.nb = mechanism.nq, mechanism.nv, mechanism.nb

    def body_poses(self, q: Any) -> Any:
        return np.array([[np.asarray(p.matrix, dtype=float) for p in self.mechanism.poses(row)] for row in q])


@dataclass
class Run:
    """A trajectory made of a formula."""

    model: FloatModel
    t: Any
    q: Any
    v: Any
    method: str = "rk4"

    def energy(self) -> tuple[Any, Any]:
        kinetic = 10 * np.sin(self.t) ** 2
        return kinetic, 12 - kinetic

    def energy_balance(self) -> Any:
        return 1e-6 * np.sin(self.t)

    def balance_error(self) -> float:
        return 1e-7


def swing(duration: float = 4.0, dt: float = 0.01, **options: Any) -> Run:
    """The pendulum swinging for a few seconds."""
    t = np.linspace(0.0, duration, round(duration / dt) + 1)
    q = np.stack([1.2 * np.cos(2 * t), 1.5 * np.sin(3 * t)], axis=1)
    v = np.stack([-2.4 * np.sin(2 * t), 4.5 * np.cos(3 * t)], axis=1)
    return Run(FloatModel(double_pendulum(**options)), t, q, v)


def live_info(**changes: Any) -> dict[str, Any]:
    """What a live page of pendulum.js needs."""
    ball = {"type": "sphere", "radius": 0.12, "pose": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, -1.0]}
    rod = {"type": "capsule", "radius": 0.035, "length": 1.0, "pose": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, -0.5]}
    info: dict[str, Any] = {
        "title": "Pendulum",
        "bodies": (BodyDrawing("rod", -1, "#f2784b", (ball, rod), 2.0),),
        "gravity": [0, 0, -9.81],
        "q0": [2.0],
        "v0": [0.0],
        "coordinates": [{"name": "rod, angle", "unit": "rad"}],
    }
    return info | changes
