"""The neutral models: exact on disk, physical, and the same every time."""

import numpy as np
import pytest

from bench import models


@pytest.mark.parametrize("name", ["RC20", "RC20-simple"])
def test_a_model_survives_the_disk_bit_for_bit(name, tmp_path):
    model = models.chain(name)
    model.save(tmp_path / "model.json")
    assert models.load(tmp_path / "model.json") == model == models.chain(name)


@pytest.mark.parametrize("name", models.CHAINS)
def test_chains_are_physical(name):
    model = models.chain(name)
    assert model.nq == model.nv == len(model.bodies)
    for k, body in enumerate(model.bodies):
        rotation, moments = np.array(body.placement)[:3, :3], np.linalg.eigvalsh(body.tensor)
        assert body.parent == k - 1
        assert np.allclose(rotation @ rotation.T, np.eye(3), atol=1e-14)
        assert np.isclose(np.linalg.norm(body.axis), 1)
        assert moments[0] > 0
        assert moments[2] < moments[0] + moments[1]


def test_states_of_a_free_body_have_unit_quaternions():
    free = models.Body("b", -1, "free", (0, 0, 0), np.eye(4).tolist(), 1.0, (0, 0, 0), np.eye(3).tolist())
    q, v, a, tau = models.random_states(models.Model("m", (free,)), 8)
    assert q.shape == (8, 7)
    assert v.shape == a.shape == tau.shape == (8, 6)
    assert np.allclose(np.linalg.norm(q[:, :4], axis=1), 1)
