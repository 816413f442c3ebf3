"""Runs algorithms on floats and gathers their results; the states that the tests of this folder share."""

import numpy as np

from anyjoint.dynamics.algorithm import run_sweeps
from anyjoint.dynamics.blocks import Block
from anyjoint.dynamics.kinematics import BLOCKS
from anyjoint.dynamics.mass_matrix import mass_matrix
from anyjoint.dynamics.products import jacobian_rate
from anyjoint.joints.product_rule import Motion
from anyjoint.spatial import Pose, vector, zeros
from anyjoint.tree.links import RAW, float_bodies, link_motion, raw_values, upward
from anyjoint.tree.plan import GENERAL, make_plan
from anyjoint.tree.record import ground

PER_LINK = ("y",)  # inputs with six numbers per link; the others have one per velocity


class State:
    """A mechanism's plan at a state."""

    def __init__(self, mech, q=None, v=None, *, canonical=True, regroup=False):
        self.mech, self.plan = mech, make_plan(mech, canonical=canonical, regroup=regroup)
        self.q = np.asarray(mech.start[0] if q is None else q, dtype=float)
        self.v = np.asarray(mech.start[1] if v is None else v, dtype=float)
        self.parents = self.plan.parents
        self.starts = [link.v.start for link in self.plan.links] + [mech.nv]
        self.nv = mech.nv

    def at(self, q=None, v=None):
        """The same plan at another state."""
        other = object.__new__(State)
        other.__dict__.update(self.__dict__)
        other.q = self.q if q is None else np.asarray(q, dtype=float)
        other.v = self.v if v is None else np.asarray(v, dtype=float)
        return other

    def bodies(self, **inputs):
        rows = {name: inputs.pop(name) for name in PER_LINK if name in inputs}
        flags = inputs.pop("prescribed", None)
        bodies = float_bodies(self.plan, self.q, self.v, **inputs)
        for k, body in enumerate(bodies):
            body.elders = self.parents[:k].count(self.parents[k])
            for name, values in rows.items():
                setattr(body, name, vector(*(float(x) for x in values[k])))
            if flags is not None:
                body.prescribed = bool(flags[k])
        return bodies

    def root(self):
        return ground(upward(self.mech.gravity))

    def run(self, algorithm, *, bodies=None, **inputs):
        """One list per result: the values of all bodies."""
        bodies = self.bodies(**inputs) if bodies is None else bodies
        run_sweeps(algorithm, bodies, self.parents, self.root())
        return [[getattr(body, name) for body in bodies] for name in algorithm.results]

    def totals(self, algorithm):
        """The sums over all links, as float rows."""
        bodies = self.bodies()
        for body in bodies:
            body.up = upward(self.mech.gravity)
        run_sweeps(algorithm, bodies, self.parents, self.root())
        return [sum(np.asarray(getattr(body, name), dtype=float) for body in bodies) for name in algorithm.totals]

    def row(self, algorithm, **inputs):
        """The first result of all bodies as one float row."""
        values = self.run(algorithm, **inputs)[0]
        return np.concatenate([np.asarray(x, dtype=float).ravel() for x in values])

    def mass_matrix(self):
        return mass_matrix(self.bodies(), self.parents, self.root(), self.starts).astype(float)

    def inertias(self):
        return [body.J.matrix().astype(float) for body in self.bodies()]

    def base(self):
        return np.array([0.0, 0.0, 0.0, *(-g for g in self.mech.gravity)])

    def blocks(self):
        return [Block(*(np.asarray(x, dtype=float) for x in parts)) for parts in zip(*self.run(BLOCKS), strict=True)]

    def motion_at(self, k):
        """The k-th link's motion as a function of its coordinates and velocities."""
        link = self.plan.links[k]
        body, values = self.bodies()[k], raw_values(link)[len(RAW) :]
        if link.kind != GENERAL:
            return lambda q, v: Motion(body.A, Pose(), body.S_A, body.S_B, zeros(6))
        return lambda q, v: link_motion(link, values, q, v)

    def Sdot_times(self, k, x):
        """Sdot*x of the k-th link's joint, in its working frame."""
        link = self.plan.links[k]
        q, v, joint = self.q[link.q].tolist(), self.v[link.v].tolist(), link.joint
        rates = joint.rate(q, v) if joint.nq != joint.nv else None
        return jacobian_rate(self.motion_at(k), q, v, list(map(float, x)), rates)


def bumped(mech, q, v, h):
    """Coordinates after time h at constant velocities, to first order."""
    out = np.array(q, dtype=float)
    for body in mech.bodies:
        if body.joint.nq:
            out[body.q] += h * np.array(body.joint.rate(q[body.q], v[body.v]), dtype=float)
    return out


def close(a, b, tolerance):
    """Largest difference relative to the largest entry."""
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    scale = max(np.abs(a).max(initial=0.0), np.abs(b).max(initial=0.0), 1e-30)
    worst = float(np.abs(a - b).max(initial=0.0)) / scale
    assert worst <= tolerance, f"differ by {worst:.3g} of {scale:.3g}, allowed {tolerance:.3g}"
    return True
