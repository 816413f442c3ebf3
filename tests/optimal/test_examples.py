"""The showcases do what they say."""

import json

import numpy as np
import pytest
from examples.optimal import cart_pole, collocation, even_ride, fit_knee, torus_tower

import anyjoint as aj


@pytest.mark.slow
def test_the_knee_is_found_from_markers(tmp_path):
    fit = fit_knee.main()
    assert fit.rms == pytest.approx(1.0, abs=0.1)  # in deviations of the noise
    for k, c in enumerate(fit_knee.WAY):
        name = f"shin/joint/c{k}"
        assert abs(fit.values[name] - c) < 5 * fit.uncertainty[name]
    assert fit.values["foot/mass"] == pytest.approx(0.9, abs=5 * fit.uncertainty["foot/mass"])
    assert np.isfinite(fit.fitted).all()
    shown = scene(fit.to_html(tmp_path / "fit.html"))["variants"]
    assert (shown["value"], len(shown["items"])) == ("residual", fit.iterations + 1)
    assert shown["items"][-1]["value"] == pytest.approx(fit.rms)


def test_a_fit_of_forces_has_no_page(tmp_path):
    model = fit_knee.leg(fit_knee.WAY, 0.9)
    q, v, a = np.random.default_rng(0).normal(size=(3, 20, 2))
    data = {"q": q, "v": v, "a": a, "tau": model.inverse_dynamics(q, v, a)}
    with pytest.raises(aj.AnyjointError, match="no motion"):
        aj.identify(model, data, ["foot/mass"]).to_html(tmp_path / "fit.html")


def scene(page):
    """The scene that a page carries."""
    text = page.read_text(encoding="utf-8")
    begin = text.index('id="anyjoint-scene">') + len('id="anyjoint-scene">')
    return json.loads(text[begin : text.index("</script>", begin)])


def test_a_pole_learns_to_push_and_its_page_has_every_iteration(tmp_path):
    """Few iterations, to be quick: the cost falls, and the page shows the first guess and the last motion."""
    found = cart_pole.swing_up(iterations=6)
    costs = [cost for cost, _ in found.history]
    assert costs[-1] < costs[0]
    items = scene(found.to_html(tmp_path / "run.html", most=4))["variants"]["items"]
    assert [item["label"] for item in items] == ["0 of 6", "2 of 6", "4 of 6", "6 of 6"]
    assert [item["value"] for item in items] == [costs[k] for k in (0, 2, 4, 6)]


@pytest.mark.slow
def test_the_pole_is_swung_up_and_balanced():
    found = cart_pole.swing_up()
    assert np.cos(found.traj.q[-1, 1]) < -0.97
    held = cart_pole.balance(found)
    assert abs(np.cos(held.q[-1, 1]) + 1) < 1e-6
    assert abs(held.q[-1, 0]) < 1e-2


@pytest.mark.slow
def test_the_tori_stand_on_one_another():
    found = torus_tower.swing_up()
    end = found.traj.q[-1]
    assert np.cos(end[torus_tower.tubes(3)]).min() > 0.9999
    assert np.abs(found.traj.v[-1]).max() < 0.05
    heights = found.traj.model.body_poses(end)[:, 2, 3]
    assert heights == pytest.approx([0.25, 0.75, 1.25], abs=1e-3)
    assert found.cost < 0.4 * found.history[0][0]


@pytest.mark.slow
def test_the_ride_becomes_even(tmp_path):
    """Every iteration has a track of its own, and the model its old one when all is done."""
    found = even_ride.smooth()
    first, last = (even_ride.load(found.motion(k)) for k in (0, -1))
    assert np.abs(first - 1).max() > 3
    assert np.abs(last - 1).max() < 0.7
    items = scene(found.to_html(tmp_path / "ride.html", most=3))["variants"]["items"]
    tracks = [item["fixed"][0]["points"] for item in items]
    assert len(set(tracks)) == 3
    assert found.traj.model.parameters["car/joint/c2"] == even_ride.FIRST[2]


def test_collocation_knows_its_slopes():
    """Against differences of fourth order; the pattern has every entry that is not zero."""
    problem = collocation.Collocation(collocation.build().compile(), 4, 0.5, (0,))
    x = np.random.default_rng(0).normal(size=problem.times * problem.width)
    i, j = problem.pattern()
    dense = np.zeros((problem.defects(x).size, x.size))
    dense[i, j] = problem.slopes(x).ravel()
    h = 1e-3
    for k, unit in enumerate(np.eye(x.size)):
        near, far = (problem.defects(x + s * unit) - problem.defects(x - s * unit) for s in (h, 2 * h))
        assert dense[:, k] == pytest.approx(((8 * near - far) / (12 * h)).ravel(), abs=1e-8)
