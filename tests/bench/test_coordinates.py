"""Coordinates of the engines: there and back is the identity, and power does not depend on who counts it."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest

from bench import models
from bench.peers import coordinates, mjcf


def tree() -> models.Model:
    """A free base with two legs, listed breadth first."""
    place = np.eye(4)
    place[:3, 3] = 0.1, 0.2, 0.3
    rows = [(-1, "free"), (0, "revolute"), (0, "prismatic"), (1, "revolute"), (2, "revolute")]
    bodies = [
        models.Body(f"b{k}", parent, kind, (0.0, 0.0, 1.0), place.tolist(), 1.0, (0.0, 0.0, 0.1), np.eye(3).tolist())
        for k, (parent, kind) in enumerate(rows)
    ]
    return models.Model("tree", tuple(bodies))


@pytest.mark.parametrize("engine", [coordinates.pinocchio, coordinates.mujoco])
def test_there_and_back(engine):
    model = tree()
    q, v, a, tau = models.random_states(model, 5)
    there = engine(model)
    assert np.allclose(there.tau_back(q, there.v(q, tau)), tau, atol=1e-14)
    assert np.allclose(there.a_back(q, v, there.a(q, v, a)), a, atol=1e-14)


@pytest.mark.parametrize("engine", [coordinates.pinocchio, coordinates.mujoco])
def test_power_and_kinetic_energy_are_the_same_for_every_engine(engine):
    model = tree()
    q, v, _, tau = models.random_states(model, 5)
    there = engine(model)
    w = there.v(q, v)
    assert np.allclose(np.sum(w * there.v(q, tau), axis=1), np.sum(v * tau, axis=1))
    half = np.random.default_rng(1).normal(size=(5, model.nv, model.nv))
    mass = half @ half.swapaxes(1, 2)
    back = there.mass_back(q, mass)
    assert np.allclose(np.einsum("ni,nij,nj->n", w, mass, w), np.einsum("ni,nij,nj->n", v, back, v))


def test_mjcf_nests_bodies_as_the_tree_does():
    model = tree()
    root = ET.fromstring(mjcf.text(model))
    parents = {child.get("name"): node.get("name") for node in root.iter() for child in node.findall("body")}
    assert parents == {"b0": None, "b1": "b0", "b2": "b0", "b3": "b1", "b4": "b2"}
    assert coordinates.depth_first(model) == [0, 1, 3, 2, 4]
