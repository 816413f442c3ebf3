"""Products by parameters that are bent, second ones too, beside differences; and as exports take them."""

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import joints
from derivatives.support import close

LOWER = {"mass": 0.7, "com": np.array([0.1, 0.05, -0.4]), "tensor": np.diag([0.1, 0.12, 0.2]), "placement": np.zeros(6)}


def by_parameters(values=()):
    """Two hinges askew, the second body with such a mass, centre, tensor and placement."""
    own = LOWER | dict(values)
    mech = aj.Mechanism("askew", gravity=(1, 2, -9))
    solid = aj.Inertia(0.5, (0.1, 0.2, 0.3), np.eye(3))
    mech.add_body("upper", joint=joints.Helical((0, 1, 1), pitch=0.2), inertia=solid)
    xi = own["placement"]
    w, length = xi[:3], np.linalg.norm(xi[:3])
    turn = aj.Pose.rotation(w / length, length) if length else aj.Pose()
    bend = np.eye(3) + (np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]]) / 2)  # to second order
    place = aj.Pose.translation(0.1, 0.2, -0.5) @ aj.Pose.rpy(0.3, 0.2, 0.1)
    place = place @ aj.Pose.translation(*(bend @ xi[3:])) @ turn
    inertia = aj.Inertia(float(own["mass"]), own["com"], own["tensor"])
    mech.add_body("lower", "upper", joints.Universal(), place, inertia)
    return mech.compile()


@pytest.mark.parametrize("one", ["mass", "com", "tensor", "placement"])
@pytest.mark.parametrize("two", ["mass", "com", "tensor", "placement"])
def test_second_derivatives_by_parameters(one, two):
    """Mass times centre is bent: the gradient by one of them changes with the other. So is a placement's exp(xi)."""
    rng = np.random.default_rng(5)
    ways = {"mass": 1.0, "com": rng.normal(size=3), "tensor": np.diag([0.3, 0.2, 0.4]), "placement": rng.normal(size=6)}
    model, w = by_parameters(), rng.normal(size=3)
    q, v, a = rng.normal(size=(3, 3))
    found = model.hvp("inverse_dynamics", (q, v, a), w, {f"lower/{two}": ways[two]}, wrt=(f"lower/{one}",))

    def weighed(s, t):
        changes = {one: 0.0, two: 0.0}
        changes[one] = changes[one] + s * ways[one]
        changes[two] = changes[two] + t * ways[two]
        moved = by_parameters({name: LOWER[name] + x for name, x in changes.items()})
        return w @ moved.inverse_dynamics(q, v, a)

    h = 2e-3
    slope = (weighed(h, h) - weighed(h, -h) - weighed(-h, h) + weighed(-h, -h)) / (4 * h * h)
    assert np.sum(found[f"lower/{one}"] * ways[one]) == pytest.approx(slope, rel=1e-4, abs=1e-5)


def test_second_derivatives_by_parameters_in_batches():
    model, rng = by_parameters(), np.random.default_rng(6)
    q, v, a = rng.normal(size=(3, 4, 3))
    w, dm, dc = rng.normal(size=3), rng.normal(size=4), rng.normal(size=(4, 3))
    wrt = ("lower/mass", "lower/com")
    many = model.hvp("forward_dynamics", (q, v, a), w, {"lower/mass": dm, "lower/com": dc}, wrt=wrt)
    for k in range(4):
        way = {"lower/mass": dm[k], "lower/com": dc[k]}
        one = model.hvp("forward_dynamics", (q[k], v[k], a[k]), w, way, wrt=wrt)
        for name in wrt:
            close(many[name][k], one[name], 1e-11)


def test_products_by_parameters_for_exports():
    """Rows of parameters stand in the place of raw numbers."""
    model, rng = by_parameters(), np.random.default_rng(7)
    q, v, tau, w = rng.normal(size=(4, 3))
    names = ["lower/mass", "lower/com", "lower/tensor", "lower/placement", "upper/joint/pitch", "gravity"]
    program = model.products.named(f"vjp forward_dynamics by q, {', '.join(names)}")
    assert [row.name for row in program.quantity.outputs][:3] == ["a", "q_bar", "lower_mass_bar"]
    _, *found = program.split(program(q, v, tau, w))
    _, wanted = model.vjp("forward_dynamics", (q, v, tau), w, wrt=("q", *names))
    for x, name in zip(found, ("q", *names), strict=True):
        close(np.ravel(x), np.ravel(wanted[name]), 1e-13)
    ways = {name: rng.normal(size=np.shape(wanted[name])) for name in names}
    program = model.products.named(f"jvp forward_dynamics by {', '.join(names)}")
    _, rate = program.split(program(q, v, tau, *(np.ravel(x) for x in ways.values())))
    close(rate, model.jvp("forward_dynamics", (q, v, tau), ways)[1], 1e-13)
    with pytest.raises(aj.InputError, match=r"'lower/mas' is neither an argument .* \(did you mean 'lower/mass'\?\)"):
        model.products.named("vjp forward_dynamics by q, lower/mas")
    program = model.products.named(f"hvp forward_dynamics by q, {', '.join(names)}")
    dq = rng.normal(size=3)
    rates = program.split(program(q, v, tau, w, dq, *(np.ravel(x) for x in ways.values())))[-1 - len(names) :]
    wanted = model.hvp("forward_dynamics", (q, v, tau), w, {"q": dq} | ways, wrt=("q", *names))
    for x, name in zip(rates, ("q", *names), strict=True):
        close(np.ravel(x), np.ravel(wanted[name]), 1e-12)
