"""Direct collocation with IPOPT: states and inputs at all times are unknown, the equations of motion are constraints.

Between two times, states change by the trapezoidal rule. The constraints and their sparse Jacobian come from
`forward_dynamics` and `forward_dynamics_derivatives`, all times in one batch; CasADi hands them to IPOPT
(`pip install casadi`). Here a pole on a cart is swung up with the least effort.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

import anyjoint as aj
from anyjoint import joints

TIMES, DURATION = 61, 2.0
START, END = np.array([0.0, 0.0]), np.array([0.0, np.pi])


def build() -> aj.Mechanism:
    """A cart of a kilogram, and a pole."""
    mech = aj.Mechanism("cart and pole", gravity=(0, 0, -9.81))
    cart = mech.add_body("cart", joint=joints.Prismatic(axis=(1, 0, 0)), inertia=aj.Inertia.box(1.0, 0.3, 0.2, 0.1))
    pole = aj.Inertia(mass=0.3, com=(0, 0, -0.6), tensor=np.diag([0.03, 0.03, 0.001]))
    mech.add_body("pole", cart, joints.Revolute(axis=(0, 1, 0)), inertia=pole)
    return mech


@dataclass(frozen=True)
class Collocation:
    """A run of a model at some times; all unknowns are one vector: rows (q, v, inputs), time by time."""

    model: aj.Model
    times: int
    duration: float
    actuated: tuple[int, ...]

    @property
    def h(self) -> float:
        return self.duration / (self.times - 1)

    @property
    def width(self) -> int:
        return 2 * self.model.nv + len(self.actuated)

    def parts(self, x: Any) -> tuple[Any, Any, Any]:
        """Coordinates, velocities and all generalized forces at all times."""
        n, rows = self.model.nv, np.asarray(x, dtype=float).reshape(self.times, self.width)
        tau = np.zeros((self.times, n))
        tau[:, list(self.actuated)] = rows[:, 2 * n :]
        return rows[:, :n].copy(), rows[:, n : 2 * n].copy(), tau

    def defects(self, x: Any) -> np.ndarray:
        """What is missing to the trapezoidal rule, (times - 1, 2 nv)."""
        q, v, tau = self.parts(x)
        rates = np.hstack([v, self.model.forward_dynamics(q, v, tau)])
        states = np.hstack([q, v])
        return states[1:] - states[:-1] - self.h / 2 * (rates[1:] + rates[:-1])

    def slopes(self, x: Any) -> np.ndarray:
        """How defects change with the unknowns before and after: (times - 1, 2 nv, 2 width)."""
        n, m = self.model.nv, len(self.actuated)
        d = self.model.forward_dynamics_derivatives(*self.parts(x))
        rates = np.zeros((self.times, 2 * n, self.width))
        rates[:, :n, n : 2 * n] = np.eye(n)
        rates[:, n:, :n], rates[:, n:, n : 2 * n], rates[:, n:, 2 * n :] = d.q, d.v, d.tau[..., list(self.actuated)]
        state = np.hstack([np.eye(2 * n), np.zeros((2 * n, m))])
        return np.concatenate([-state - self.h / 2 * rates[:-1], state - self.h / 2 * rates[1:]], axis=2)

    def pattern(self) -> tuple[np.ndarray, np.ndarray]:
        """Rows and columns of the entries of `slopes` in the Jacobian by all unknowns."""
        i, j = np.meshgrid(np.arange(2 * self.model.nv), np.arange(2 * self.width), indexing="ij")
        step = np.arange(self.times - 1)[:, None, None]
        return (2 * self.model.nv * step + i).ravel(), (self.width * step + j).ravel()


def constraint(problem: Collocation) -> Any:
    """The defects as a function of CasADi, with its Jacobian."""
    import casadi

    count, rows = problem.times * problem.width, (problem.times - 1) * 2 * problem.model.nv
    i, j = problem.pattern()
    sparsity = casadi.Sparsity.triplet(rows, count, i.tolist(), j.tolist())
    order = np.lexsort((i, j))  # by columns, as CasADi has them

    class Slopes(casadi.Callback):
        def __init__(self, name: str) -> None:
            super().__init__()
            self.construct(name, {})

        def get_n_in(self) -> int:
            return 2  # the unknowns, and the defects, which are not needed

        def get_sparsity_in(self, k: int) -> Any:
            return casadi.Sparsity.dense(count if k == 0 else rows, 1)

        def get_sparsity_out(self, k: int) -> Any:
            return sparsity

        def eval(self, given: Any) -> list[Any]:
            return [casadi.DM(sparsity, problem.slopes(given[0]).ravel()[order])]

    class Defects(casadi.Callback):
        def __init__(self) -> None:
            super().__init__()
            self.construct("defects", {})

        def get_sparsity_in(self, k: int) -> Any:
            return casadi.Sparsity.dense(count, 1)

        def get_sparsity_out(self, k: int) -> Any:
            return casadi.Sparsity.dense(rows, 1)

        def eval(self, given: Any) -> list[Any]:
            return [problem.defects(given[0]).ravel()]

        def has_jacobian(self) -> bool:
            return True

        def get_jacobian(self, name: str, inputs: Any, outputs: Any, options: Any) -> Any:
            self.slopes = Slopes(name)  # CasADi does not keep it alive
            return self.slopes

    return Defects()


def solve(problem: Collocation, start: Any, end: Any, limit: float = 30.0, quiet: bool = True) -> np.ndarray:
    """Unknowns (times, width) with the least effort that lead from rest to rest."""
    import casadi

    n, width = problem.model.nv, problem.width
    x = casadi.MX.sym("x", problem.times * width)
    inputs = casadi.reshape(x, width, problem.times)[2 * n :, :]
    defects = constraint(problem)  # lives as long as the solver
    program = {"x": x, "f": problem.h * casadi.sumsqr(inputs), "g": defects(x)}
    options = {"ipopt.hessian_approximation": "limited-memory", "ipopt.max_iter": 500}
    if quiet:
        options |= {"ipopt.print_level": 0, "print_time": False}
    guess = np.zeros((problem.times, width))
    guess[:, :n] = np.linspace(start, end, problem.times)
    low, high = np.full_like(guess, -np.inf), np.full_like(guess, np.inf)
    low[:, 2 * n :], high[:, 2 * n :] = -limit, limit
    for k, place in ((0, start), (-1, end)):
        low[k, : 2 * n] = high[k, : 2 * n] = [*place, *np.zeros(n)]
    solver = casadi.nlpsol("solver", "ipopt", program, options)
    found = solver(x0=guess.ravel(), lbx=low.ravel(), ubx=high.ravel(), lbg=0.0, ubg=0.0)
    print(solver.stats()["return_status"], "after", solver.stats()["iter_count"], "iterations")
    return np.asarray(found["x"]).reshape(problem.times, width)


if __name__ == "__main__":
    problem = Collocation(build().compile(), TIMES, DURATION, (0,))
    rows = solve(problem, START, END)
    q, v, tau = problem.parts(rows)
    run = problem.model.simulate(q[0], v[0], duration=DURATION, dt=2e-3, tau=tau)
    print(f"simulated with these inputs, the pole ends {np.degrees(abs(run.q[-1, 1] - np.pi)):.2f} degrees off")
    print(run.to_html("collocation.html"))
