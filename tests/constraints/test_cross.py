"""Every kind of constraint in everything that a model does: a table, each cell of which has an oracle."""

from functools import cache

import numpy as np
import pytest

from anyjoint.view import dynamics_script
from tests.constraints.kinds import KINDS
from tests.constraints.kkt import System
from tests.export.generated import in_c, in_javascript, node

DT, STEPS, TIME = 2e-3, 20, 0.0


class Case:
    """A mechanism, its model, a state on its constraints, forces, and the dense equations there."""

    def __init__(self, name):
        self.mech, guess = KINDS[name]()
        self.model, rng = self.mech.compile(), np.random.default_rng(0)
        self.clock = {"t": TIME} if self.mech.timed else {}
        self.q, self.v = self.model.assemble(guess, 0.5 * rng.normal(size=self.mech.nv))
        self.tau = rng.normal(size=self.mech.nv)
        self.dense = System(self.mech, self.q, TIME)
        self.dense.move(self.v)
        self.a, self.y = self.dense.solve(self.tau)
        self.state = self.q, self.v, self.tau


case = cache(Case)


def near(got, want, share=1e-11):
    """To a share of the largest number."""
    want = np.asarray(want)
    assert np.abs(np.asarray(got) - want).max(initial=0.0) <= share * max(1.0, np.abs(want).max(initial=0.0))


# -- one function for each column -------------------------------------------------------------------------------------


def forward(c, _):
    """Accelerations and multipliers of the dense equations."""
    near(c.model.forward_dynamics(*c.state, **c.clock), c.a)
    forces = c.model.constraint_forces(c.q, c.v, c.tau, **c.clock)
    assert list(forces) == [constraint.name for constraint in c.mech.constraints]
    held = c.dense.G.T @ np.concatenate([*forces.values(), np.zeros(0)])
    near(held, c.dense.G.T @ c.y)


def inverse(c, _):
    """Of the tree, and by motors that have to make up for all but what constraints do."""
    near(c.model.inverse_dynamics(c.q, c.v, c.a), c.dense.M @ c.a + c.dense.bias)
    if c.mech.constraints:
        motors = c.model.inverse_dynamics(c.q, c.v, c.a, actuated=[b.name for b in c.mech.bodies], **c.clock)
        near(c.model.forward_dynamics(c.q, c.v, motors, **c.clock), c.a, 1e-9)


def energy(c, _):
    """It changes by the power of forces and of constraints that move."""
    kinetic, _ = c.model.energy(c.q, c.v)
    near(kinetic, c.v @ c.dense.M @ c.v / 2)
    h, rate = 1e-5, np.asarray(c.model.coordinate_rates(c.q, c.v))
    bend = (np.asarray(c.model.coordinate_rates(c.q + h * rate, c.v + h * c.a)) - rate) / h
    ends = [(c.q + s * rate + s * s / 2 * bend, c.v + s * c.a) for s in (h, -h)]
    after, before = (sum(c.model.energy(q, v)) for q, v in ends)
    near((after - before) / (2 * h), c.tau @ c.v + c.model.constraint_power(*c.state, **c.clock), 1e-6)


def jacobians(c, _):
    """Of rows, and of bodies: twists are derivatives of poses."""
    near(c.model.constraint_jacobian(c.q, **c.clock), c.dense.G)
    body = c.mech.bodies[-1]
    turns, moves = c.dense.J.reshape(-1, 2, 3, c.mech.nv)[-1]  # of the centre of mass, in the world's axes
    J, com, R = c.model.body_jacobian(c.q, body.name), body.inertia.com, c.model.body_poses(c.q)[-1, :3, :3]
    near(J[:3], turns)
    near(R @ (J[3:] + np.cross(J[:3], com, axis=0)), moves)


def batches(c, _):
    """Rows of a batch are states, on one thread or two."""
    rng = np.random.default_rng(1)
    v, tau = rng.normal(size=(2, 9, c.mech.nv))
    q = np.tile(c.q, (9, 1))
    want = [c.model.forward_dynamics(c.q, *row, **c.clock) for row in zip(v, tau, strict=True)]
    for threads in (1, 2):
        near(c.model.forward_dynamics(q, v, tau, threads=threads, **c.clock), want)


def float32(c, _):
    """Single precision keeps its digits."""
    near(c.mech.compile(dtype="float32").forward_dynamics(*c.state, **c.clock), c.a, 1e-4)


def parameters(c, _):
    """Numbers that change, for all states or row by row, as in a mechanism that was built so."""
    name, masses = c.mech.bodies[-1].name, [0.7, 2.1]
    rows = c.model.forward_dynamics(
        *(np.tile(x, (2, 1)) for x in c.state), parameters={f"{name}/mass": masses}, **c.clock
    )
    for mass, row in zip(masses, rows, strict=True):
        model = c.mech.compile()
        model.parameters[f"{name}/mass"] = mass
        near(row, model.forward_dynamics(*c.state, **c.clock))
        dense = System(model.mechanism, c.q, TIME)
        dense.move(c.v)
        near(row, dense.solve(c.tau)[0])


def languages(c, folder):
    """C and JavaScript of dynamics and of a step."""
    rows = {"q": c.q, "v": c.v, "tau": c.tau, "t": [TIME], "dt": [DT]}
    for called in ("forward_dynamics", "step"):
        program = c.model.program(called)
        given = [np.array(rows[name], dtype=float) for name, _ in program.inputs]
        want = np.ravel(program(*given))
        for language in (in_c, in_javascript):
            near(language(program, given, len(want), folder), want)


def pages(c, folder):
    """Steps of live pages are those of runs."""
    traj = c.model.simulate(c.q, c.v, duration=STEPS * DT, dt=DT)
    assert traj.status.ok
    how = f"{{ gravity: {list(c.mech.gravity)}, damping: 0, time: k * {DT} }}"
    q, v = (f"Float64Array.from({x.tolist()})" for x in (c.q, c.v))
    script = f"""const d = makeDynamics(), q = {q}, v = {v};
for (let k = 0; k < {STEPS}; k++) d.step(q, v, {how}, {DT});
console.log(JSON.stringify([...q, ...v]));"""
    near(node(dynamics_script(c.model) + script, folder), [*traj.q[-1], *traj.v[-1]], 1e-10)


def counts(c, _):
    """What is counted is what runs."""
    assert c.model.op_count().total == c.model.program("forward_dynamics").op_count().total > 0


COLUMNS = (forward, inverse, energy, jacobians, batches, float32, parameters, languages, pages, counts)


@pytest.mark.parametrize("column", COLUMNS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("kind", KINDS)
def test_cell(kind, column, tmp_path):
    column(case(kind), tmp_path)
