"""jvp, vjp and hvp of every quantity: against complex steps, against each other, in batches, by parameters."""

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import gallery, joints, surfaces
from anyjoint.quantity import QUANTITIES
from anyjoint.quantity.product import vjp
from anyjoint.quantity.step import STEPS
from derivatives.models import state, zoo
from derivatives.support import STEP, Interpreted, close, differences, tangents

NUMERIC = ("blocks",)  # no answers of a fixed form
CHAIN = [joints.Universal(), joints.FreeQuaternion(), joints.Revolute(axis=(1, 2, 2))]
QUICK = ("forward_dynamics", "inverse_dynamics", "energy", "body_poses", "generalized_forces", "rechart", "step")
SPECIAL = [name for name, quantity in QUANTITIES.items() if quantity.among in ("constrained", "touching")]
EVERY = [name for name in QUANTITIES if name not in (*NUMERIC, *SPECIAL)]


def point_of(model, quantity, rng):
    q, v, _ = state(model)
    known = {"q": q, "v": v, "dt": np.array([1e-2])}
    rows = quantity.given(model.mechanism)
    return [known.get(row.name, rng.normal(size=row.size(model.mechanism))) for row in rows]


def flat(answer):
    return np.concatenate([np.ravel(part) for part in (answer if isinstance(answer, tuple) else (answer,))])


@pytest.fixture(scope="module")
def straight():
    return zoo("straight", CHAIN)


@pytest.fixture(scope="module")
def model():
    return zoo("kernels", CHAIN)


@pytest.mark.parametrize("name", ["forward_dynamics", "energy"])
def test_products_of_straight_code(straight, name):
    check_products(straight, name)


@pytest.mark.parametrize("name", [x if x in QUICK else pytest.param(x, marks=pytest.mark.slow) for x in EVERY])
def test_products_of_every_quantity(model, name):
    check_products(model, name)


def check_products(model, name):
    """JVP by complex step; w . JVP = VJP . d; HVP symmetric."""
    rng, quantity = np.random.default_rng(2), QUANTITIES[name]
    point = point_of(model, quantity, rng)
    rows = quantity.given(model.mechanism)
    T = tangents(model.mechanism, point[0])
    some = lambda: [rng.normal(size=model.nv if row.name == "q" else len(x)) for row, x in zip(rows, point, strict=True)]  # noqa: E731, E501
    d, e = some(), some()
    y, dy = model.jvp(name, tuple(point), tuple(d))
    raw = [T.T @ x if row.name == "q" else x for row, x in zip(rows, d, strict=True)]
    if all(row.name != "q" for row in quantity.outputs):
        oracle = Interpreted(model.mechanism, name)
        moved = [x + 1j * STEP * r for x, r in zip(point, raw, strict=True)]
        # What cancels in sums of parts as large as 100 leaves a few roundings of those.
        close(flat(dy), np.imag(oracle(*moved)[0]) / STEP, 2e-12)
    w = rng.normal(size=len(flat(dy)))
    same, g = model.vjp(name, tuple(point), w)
    close(flat(same), flat(y), 1e-14)  # the same sums, in another order where identities were found
    forward, backward = w @ flat(dy), sum(np.sum(np.ravel(g[row.name]) * x) for row, x in zip(rows, d, strict=True))
    scale = np.abs(w) @ np.abs(flat(dy))
    assert abs(forward - backward) <= 1e-12 * max(scale, 1e-30)
    # By coordinates: what velocities see of a state after a step depends on that state.
    e, w = [T.T @ x if row.name == "q" else x for row, x in zip(rows, e, strict=True)], rng.normal(size=len(flat(y)))
    one, two = (model.hvp(name, tuple(point), w, tuple(u), raw=True) for u in (raw, e))
    times = lambda h, u, f: sum(np.sum(f(np.ravel(h[row.name])) * f(x)) for row, x in zip(rows, u, strict=True))  # noqa: E731
    size = max(times(one, e, np.abs), times(two, raw, np.abs), 1e-30)
    assert abs(times(one, e, np.asarray) - times(two, raw, np.asarray)) <= 1e-11 * size


def test_second_derivatives_against_differences(model):
    q, v, a = state(model)
    rng = np.random.default_rng(4)
    w, d = rng.normal(size=model.nv), rng.normal(size=model.nv)
    T = tangents(model.mechanism, q)
    h = model.hvp("inverse_dynamics", (q, v, a), w, {"q": d}, raw=False)
    by_v = lambda x: model.vjp("inverse_dynamics", (q + x[0] * (T.T @ d), v, a), w)[1]["v"]  # noqa: E731
    close(h["v"], differences(by_v, np.zeros(1), np.ones((1, 1)))[:, 0], 1e-9)


@pytest.mark.parametrize("name", ["step semi-implicit-euler", pytest.param("step", marks=pytest.mark.slow)])
def test_second_derivatives_as_velocities_see_them(name):
    """Those by coordinates, seen from the point and from the state after a step: symmetric, also between rows."""
    model = zoo("kernels", [joints.SphericalQuaternion(), joints.Revolute()])
    q, v, tau = state(model)
    q[:4] /= np.linalg.norm(q[:4])
    point, (d, e, *w) = (q, v, tau, 0.1), np.random.default_rng(1).normal(size=(4, model.nv))
    after = model.step(q, v, tau, dt=0.1, method=name.removeprefix("step").strip() or "rk4")[0]
    T, out = tangents(model.mechanism, q), np.linalg.pinv(tangents(model.mechanism, after))
    found = model.hvp(name, point, np.concatenate(w), {"q": d, "v": e})
    by_coordinates = model.hvp(name, point, np.concatenate([out @ w[0], w[1]]), {"q": T.T @ d, "v": e}, raw=True)
    close(found["q"], T @ by_coordinates["q"], 1e-11)
    close(found["v"], by_coordinates["v"], 1e-11)
    by_q, by_v = (model.hvp(name, point, np.concatenate(w), way) for way in ({"q": d}, {"v": e}))
    close(by_q["v"] @ e, by_v["q"] @ d, 1e-11)


def test_batches_are_states_one_by_one(model):
    point, w = state(model), np.random.default_rng(7).normal(size=model.nv)
    batch = [np.array([x, 1.01 * x, 0.99 * x]) for x in point]
    wrt = ("q", "v", "b1/mass")
    _, many = model.vjp("inverse_dynamics", tuple(batch), w, wrt=wrt, threads=2)
    for k in range(3):
        _, one = model.vjp("inverse_dynamics", tuple(x[k] for x in batch), w, wrt=wrt)
        for key, value in one.items():
            close(many[key][k], value, 1e-13)


# -- parameters ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def numbered():
    return zoo("kernels")


def test_gradients_by_every_parameter(numbered):
    """Forces are linear or quadratic in most parameters, so that differences are exact; poses and joints are not."""
    model = numbered
    q, v, a = state(model)
    w = np.random.default_rng(1).normal(size=model.nv)
    names = list(model.parameters)
    _, found = model.vjp("inverse_dynamics", (q, v, a), w, wrt=names)
    rng = np.random.default_rng(8)

    def at(name, value):
        model.parameters.set({name: value})
        return w @ model.inverse_dynamics(q, v, a)

    for name in names:
        before = model.parameters[name]
        if name.endswith("/placement"):
            xi, K = rng.normal(size=6), model.parameters[name]
            turn = lambda e, xi=xi: aj.Pose.rotation(xi[:3], e * np.linalg.norm(xi[:3]))  # noqa: E731
            move = lambda e, xi=xi: aj.Pose.translation(*(e * xi[3:]))  # noqa: E731
            # exp(e xi) to first order; the second order of both products together is that of exp.
            value = lambda e: (at(name, K @ move(e) @ turn(e)) + at(name, K @ turn(e) @ move(e))) / 2  # noqa: B023, E731
            h, tolerance, expected = 1e-3, 1e-8, found[name] @ xi
        else:
            old = np.asarray(model.parameters[name], dtype=float)
            d = np.abs(rng.normal(size=old.shape)) if name.endswith("/armature") else rng.normal(size=old.shape)
            d = 0.1 * (d + d.T) if name.endswith("/tensor") else d
            value = lambda e: at(name, old + e * d if old.shape else float(old + e * d))  # noqa: B023, E731
            exact = "/joint/" not in name
            h, tolerance, expected = (0.01 if exact else 1e-3), (1e-9 if exact else 1e-8), np.sum(found[name] * d)
        if name.endswith("/armature"):
            slope = (value(h) - value(0.0)) / h
        else:
            slope = (8 * (value(h) - value(-h)) - (value(2 * h) - value(-2 * h))) / (12 * h)
        model.parameters.set({name: before})
        assert abs(slope - expected) <= tolerance * max(1.0, abs(slope)) * 100, name


@pytest.mark.slow
def test_directions_of_parameters(numbered):
    model = numbered
    q, v, tau = state(model)
    w = np.random.default_rng(3).normal(size=model.nv)
    changes = {
        "b1/mass": 0.3, "b2/com": [0.1, 0.2, -0.3], "b5/placement": [0.1, 0, 0.2, 0, 0.3, 0], "gravity": [0, 1, 0],
    }  # fmt: skip
    _, dy = model.jvp("forward_dynamics", (q, v, tau), changes)
    _, g = model.vjp("forward_dynamics", (q, v, tau), w, wrt=tuple(changes))
    # Accelerations of this chain lose digits: both ways round the same large products in another order.
    close(w @ dy, sum(np.sum(g[name] * np.asarray(x)) for name, x in changes.items()), 1e-10)


@pytest.mark.parametrize("form", ["straight", "kernels"])
def test_what_is_welded_to_the_ground_has_no_part_in_sums(form):
    """As in the quantities themselves; what is welded to something that moves has."""
    mech, solid, at = aj.Mechanism("arm"), aj.Inertia.point(2.0, (0.1, 0.2, 0.3)), aj.Pose.translation(0, 0.3, 0.5)
    for name, parent, joint in (
        ("stand", None, joints.Fixed()), ("flange", "stand", joints.Fixed()),
        ("arm", "flange", joints.Revolute((0, 1, 0))), ("tool", "arm", joints.Fixed()),
    ):  # fmt: skip
        mech.add_body(name, parent, joint, at, solid)
    model, state, names = mech.compile(form=form), ([0.3], [0.4]), ("stand/mass", "flange/com", "tool/mass")
    energy, mass = model.energy(*state), model.centroidal(*state).mass
    for name, expected in (("energy", energy[1]), ("centroidal", mass)):
        point, way = state, dict.fromkeys(("stand/mass", "tool/mass"), 1.0)
        value, rate = model.jvp(name, point, way)
        close(value[-1], expected, 1e-14)
        found = model.vjp(name, point, (*(np.zeros_like(x) for x in value[:-1]), np.ones_like(value[-1])), wrt=names)[1]
        assert (found["stand/mass"], *found["flange/com"]) == (0, 0, 0, 0)
        close(found["tool/mass"], np.sum(rate[-1]), 1e-14)
        assert abs(found["tool/mass"]) > 0.5


def test_parameters_may_change_between_calls():
    model = zoo("straight", [joints.Revolute(), joints.Revolute(axis=(0, 1, 0))])
    q, v, a = state(model)
    args = ("inverse_dynamics", (q, v, a), np.ones(2))
    _, before = model.vjp(*args, wrt=("b1/com",))
    model.parameters["b1/mass"] = 2 * model.parameters["b1/mass"]
    _, after = model.vjp(*args, wrt=("b1/com",))
    fresh = model.mechanism.compile(form="straight").vjp(*args, wrt=("b1/com",))[1]
    close(after["b1/com"], fresh["b1/com"], 1e-14)
    assert np.abs(before["b1/com"] - after["b1/com"]).max() > 0.1


# -- steps, constraints, and what is refused --------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["step", "step semi-implicit-euler"])
def test_a_step(method):
    """In tangent terms: a quaternion moves as velocities see it, before and after."""
    model = zoo("kernels", [joints.FreeQuaternion(), joints.Revolute()])
    q, v, tau = state(model)
    rng = np.random.default_rng(0)
    d = rng.normal(size=(3, model.nv))
    point = (q, v, tau, 0.01)
    name = method.removeprefix("step").strip() or "rk4"
    (q1, _), (dq, dv) = model.jvp(method, point, tuple(d))
    T, T1 = tangents(model.mechanism, q).T, tangents(model.mechanism, q1).T
    after = lambda e: np.concatenate(model.step(q + e[0] * (T @ d[0]), v + e[0] * d[1], tau + e[0] * d[2], dt=0.01, method=name))  # noqa: E731, E501
    raw = differences(after, np.zeros(1), np.ones((1, 1)))[:, 0]
    close(dq, np.linalg.pinv(T1) @ raw[: model.nq], 1e-9)
    close(dv, raw[model.nq :], 1e-9)
    w = rng.normal(size=2 * model.nv)
    _, g = model.vjp(method, point, w, wrt=("q", "v", "tau"))
    close(w @ np.concatenate([dq, dv]), sum(g[k] @ x for k, x in zip(("q", "v", "tau"), d, strict=True)), 1e-13)


def test_the_state_that_a_step_looks_back_at():
    """Its coordinates, too, change as velocities see them, unless raw changes are asked for."""
    model = zoo("kernels", [joints.SphericalQuaternion(), joints.Revolute()])
    q, v, tau = state(model)
    q[:4] /= np.linalg.norm(q[:4])
    before, rng = q - 0.01 * model.coordinate_rates(q, v), np.random.default_rng(0)
    point, d = (q, v, tau, 0.01, before, v), rng.normal(size=model.nv)
    (_, _), rates = model.jvp("step bdf2", point, {"q_before": d})
    moved = tangents(model.mechanism, before).T @ d
    _, raw = model.jvp("step bdf2", point, {"q_before": moved}, raw=True)
    after = lambda e: model.jvp("step bdf2", (*point[:4], before + e[0] * moved, v), {"tau": tau})[0][1]  # noqa: E731
    close(rates[1], differences(after, np.zeros(1), np.ones((1, 1)))[:, 0], 1e-8)
    close(rates[1], raw[1], 1e-13)
    w = rng.normal(size=2 * model.nv)
    _, g = model.vjp("step bdf2", point, w, wrt=("q_before",))
    close(w @ np.concatenate(rates), g["q_before"] @ d, 1e-12)


@pytest.mark.parametrize("make", [gallery.four_bar, gallery.rolling_wheels, gallery.four_bar_knee])
def test_constraints_rolling_and_followers(make):
    model = make().compile()
    run = model.simulate(duration=0.05)
    q, v = run.q[-1], run.v[-1]
    rng = np.random.default_rng(0)
    tau, d, w = rng.normal(size=model.nv), rng.normal(size=(3, model.nv)), rng.normal(size=model.nv)
    _, dy = model.jvp("forward_dynamics", (q, v, tau), tuple(d))
    T = tangents(model.mechanism, q).T
    at = lambda e: model.forward_dynamics(q + e[0] * (T @ d[0]), v + e[0] * d[1], tau + e[0] * d[2])  # noqa: E731
    close(dy, differences(at, np.zeros(1), np.ones((1, 1)), 1e-4)[:, 0], 1e-8)
    _, g = model.vjp("forward_dynamics", (q, v, tau), w)
    close(w @ dy, sum(g[k] @ x for k, x in zip(("q", "v", "tau"), d, strict=True)), 1e-11)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m, p: m.vjp("forward_dynamics", p, [1.0], wrt=("bob/mas",)), "did you mean 'bob/mass'"),
        (lambda m, p: m.vjp("forward_dynamic", p, [1.0]), "did you mean 'forward_dynamics'"),
        (lambda m, p: m.vjp("forward_dynamics", p, [1.0, 2.0]), "weights"),
        (lambda m, p: m.vjp("forward_dynamics", p, [np.nan]), "not finite"),
        (lambda m, p: m.jvp("forward_dynamics", p, ([1.0],) * 4), "a direction is a tuple"),
        (lambda m, p: m.jvp("forward_dynamics", p, {"bob/com": [1.0, 2.0]}), "shape"),
        (lambda m, p: m.jvp("forward_dynamics", ([0.1],), {"q": [1.0]}), "lacks 'v'"),
        (lambda m, p: m.vjp("forward_dynamics", p, 1.0), r"expected numbers like the answer: a \(1,\)"),
        (lambda m, p: m.vjp("forward_dynamics", p, "heavy"), "expected numbers like the answer"),
        (lambda m, p: m.vjp("energy", p[:2], 1.0), r"kinetic \(\), potential \(\)"),
        (lambda m, p: m.vjp("forward_dynamics", p, [1.0], wrt=1), "are no names"),
        (lambda m, p: m.vjp(["step"], p, [1.0]), "is unknown"),
        (lambda m, p: m.vjp("step rk5", p, [1.0]), "did you mean 'step rk4'"),
        (lambda m, p: m.export("js", "nowhere", products=[1]), "expected jvp, vjp or hvp and a quantity"),
        (lambda m, p: m.export("js", "nowhere", products="vjp energi"), "did you mean 'energy'"),
        (lambda m, p: m.simulate(*p[:2], duration=0.0, gradient=True).gradient(dq=[1.0], wrt="duration"), "has none"),
        (lambda m, p: m.jvp("forward_dynamics", p, {"bob/mass": "heavy"}), "expected a finite number"),
        (lambda m, p: m.jvp("forward_dynamics", p, {"bob/mass": np.nan}), "'bob/mass' is not finite"),
        (lambda m, p: m.jvp("forward_dynamics", p, {"bob/mass": [1.0, 2.0], "gravity": np.ones((3, 3))}), "3 states"),
        (lambda m, p: m.jvp("forward_dynamics", p, {"bob/mass": True}), "expected a finite number"),
        (lambda m, p: m.jvp("forward_dynamics", p, {"gravity": [10**400, 0, 0]}), "expected finite numbers"),
        (lambda m, p: m.jvp("forward_dynamics", p, {"q": [[1.0], [2.0, 3.0]]}), "ragged"),
        (lambda m, p: m.vjp("forward_dynamics", p, [10**400]), "expected numbers like the answer"),
        (lambda m, p: m.vjp("forward_dynamics", p, [1.0], raw=[]), r"raw=\[\]; expected True or False"),
        (lambda m, p: m.forward_dynamics_derivatives(*p, raw="no"), "raw='no'; expected True or False"),
        (lambda m, p: m.linearise(*p, dt=0.1, method=["rk4"]), "is unknown"),
        (lambda m, p: m.jvp("blocks", ([0.1], [0.0]), {"q": [1.0]}), "not differentiated"),
    ],
)
def test_bad_questions(call, message):
    mech = aj.Mechanism("pendulum", gravity=(0, 0, -9.81))
    mech.add_body("bob", joint=joints.Revolute(axis=(0, 1, 0)), inertia=aj.Inertia.point(1.0, (0, 0, -1)))
    with pytest.raises(aj.AnyjointError, match=message):
        call(mech.compile(), ([0.1], [0.0], [0.0]))


def test_gradients_by_one_parameter_cost_less_than_by_all(numbered):
    point, names = state(numbered), tuple(numbered.parameters)
    mass = next(name for name in names if name.endswith("/mass"))
    found = {wrt: numbered.vjp("inverse_dynamics", point, np.ones(numbered.nv), wrt=wrt)[1] for wrt in (names, (mass,))}
    np.testing.assert_allclose(found[mass,][mass], found[names][mass], rtol=1e-12)
    made = numbered.products
    one, every = (made.get(vjp, QUANTITIES["inverse_dynamics"], (), wrt, False)[0].program for wrt in ((mass,), names))
    assert one.op_count().total < 0.5 * every.op_count().total


def test_by_coordinates_or_by_velocities_is_one_program_where_they_are_the_same():
    model = gallery.revolute_chain(2).compile()
    for raw in (False, True):
        model.vjp("energy", ([0.1, 0.2], [0.3, 0.4]), (1.0, 1.0), wrt=("q",), raw=raw)
    assert len(model.products.programs) == 1


def test_the_step_of_every_stepper_has_its_name():
    mech = aj.Mechanism("pendulum", gravity=(0, 0, -9.81))
    mech.add_body("bob", joint=joints.Revolute(axis=(0, 1, 0)), inertia=aj.Inertia.point(1.0, (0, 0, -1)))
    model, point = mech.compile(), ([0.1], [0.2], [0.3], 0.01)
    short, long = (model.vjp(name, point, [1.0, 2.0])[1] for name in ("step", "step rk4"))
    assert all(np.array_equal(short[name], long[name]) for name in ("q", "v", "tau", "dt"))


def test_operations_are_a_small_multiple():
    """What a product costs beside the quantity itself; deterministic, so any change shows."""
    model = gallery.revolute_chain(6).compile(form="kernels")
    q, v, a = state(model)
    ratios = {}
    for name in ("inverse_dynamics", "forward_dynamics"):
        own = model.op_count(name).total
        model.jvp(name, (q, v, a), (q, v, a))
        model.vjp(name, (q, v, a), a)
        model.hvp(name, (q, v, a), a, (q, v, a))
        for key, program in model.programs.items():
            if key.startswith(("jvp", "vjp", "hvp")) and name in key:
                ratios[key[:3], name] = program.op_count().total / own
    assert ratios["vjp", "inverse_dynamics"] < 2.4
    assert ratios["vjp", "forward_dynamics"] < 2.25
    assert ratios["jvp", "forward_dynamics"] < 2.5
    assert ratios["hvp", "inverse_dynamics"] < 5.45
    assert ratios["hvp", "forward_dynamics"] < 5.3


def test_derivatives_of_general_joints_hide_no_identities():
    """Normals of tori are unit vectors and their rates are at right angles to them."""
    products = gallery.torus_chain(5).compile(form="straight").products
    assert products.named("jvp inverse_dynamics").op_count().total <= 2_449
    assert products.named("vjp inverse_dynamics").op_count().total <= 2_415


def test_second_derivatives_of_general_joints_are_a_small_multiple():
    """12,631 operations where joints are not gone through factor by factor, and rotations are sums of products."""
    model = gallery.torus_chain(5).compile()
    assert model.op_count("inverse_dynamics").total <= 992  # 1,485 by S and c of whole joints
    assert model.products.named("hvp inverse_dynamics").op_count().total <= 6_687


def test_gradients_are_of_the_type_of_the_model():
    model = gallery.revolute_chain(2).compile(dtype="float32")
    point, names = tuple(np.full(2, 0.3, "float32") for _ in range(3)), ("q", "link0/mass", "gravity")
    found = model.vjp("forward_dynamics", point, [1.0, 2.0], wrt=names)[1]
    many = model.vjp("forward_dynamics", tuple(np.stack([x] * 3) for x in point), [1.0, 2.0], wrt=names)[1]
    assert {x.dtype.name for answer in (found, many) for x in answer.values()} == {"float32"}
    assert many["gravity"].shape == (3, 3)


# -- numbers in the rates and charts of joints -------------------------------------------------------------------------


def rolling():
    """An ellipsoid with two charts on which a ball rolls that carries a rod."""
    mech = aj.Mechanism("rolling", gravity=(0, 0, -9.81))
    joint = joints.Rolling(surfaces.Ellipsoid(1.0, 1.2, 0.8), surfaces.Sphere(0.3))
    mech.add_body("ball", joint=joint, inertia=aj.Inertia.box(1.0, 0.2, 0.3, 0.1))
    mech.add_body("rod", "ball", joints.Revolute(axis=(0, 1, 0)), inertia=aj.Inertia.box(0.4, 0.1, 0.1, 0.5))
    return mech.compile()


LONG = [pytest.param(x, marks=pytest.mark.slow) for x in ("coordinate_rates", "step bdf1")]  # a step has rates in it


@pytest.mark.parametrize("name", ["rechart", "step", *LONG])
def test_numbers_of_joints_in_their_rates_and_charts(name):
    """Rolling is rates of coordinates, which radii are part of."""
    model, rng = rolling(), np.random.default_rng(0)
    quantity = {**QUANTITIES, **{x.name: x for x in STEPS.values()}}[name]
    q, v = rng.uniform(0.3, 0.7, model.nq), rng.normal(size=model.nv)
    point = (q, v, np.zeros(model.nv), np.array([0.02]))[: len(quantity.inputs)]
    wrt = ("ball/joint/surface1.a", "ball/joint/surface2.radius", "gravity")
    w = rng.normal(size=sum(row.size(model.mechanism) for row in quantity.outputs))
    _, found = model.vjp(name, point, w, wrt=wrt, raw=True)
    _, rate = model.jvp(name, point, {wrt[0]: 0.3, wrt[1]: 0.2}, raw=True)
    close(w @ flat(rate), 0.3 * found[wrt[0]] + 0.2 * found[wrt[1]], 1e-12)
    for number in wrt[:2]:
        at = model.parameters[number]

        def answer(x, number=number, at=at):
            other = rolling()
            other.parameters.set({number: at + x[0]})
            return other.program(quantity)(*point)

        close(found[number], w @ differences(answer, np.zeros(1), np.ones((1, 1)))[:, 0], 1e-9)
