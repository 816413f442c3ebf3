"""Random things to drop: piles, stacks, tumblers, plates, creatures on legs, chains and linkages; for `bench.drops`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import anyjoint as aj
from anyjoint import distances, joints, shapes

Array = np.ndarray[Any, np.dtype[Any]]
Random = np.random.Generator
APART = 0.75  # metres between the middles of bodies that are dropped together: boxes reach 0.26, starts vary by 0.1


def tumblers(rng: Random) -> aj.Mechanism:
    """A box, a capsule and a wedge above level ground, each for itself."""
    mech = aj.Mechanism("tumblers")
    wedge = shapes.Mesh(rng.normal(size=(4, 3)) * 0.08, [[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]])
    forms = {"box": shapes.Box(*rng.uniform(0.05, 0.3, 3)), "wedge": wedge,
             "capsule": shapes.Capsule(rng.uniform(0.02, 0.06), rng.uniform(0.05, 0.3))}  # fmt: skip
    for name, shape in forms.items():
        solid = aj.Inertia.sphere(rng.uniform(0.1, 2), 0.06) if name == "wedge" else shape.inertia(rng.uniform(0.1, 2))
        mech.add_body(name, joint=joints.FreeQuaternion(), inertia=solid, shape=shape)
        mech.add_contact(name, friction=rng.uniform(0, 1))
    return mech


def pile(rng: Random) -> aj.Mechanism:
    """A box and balls that meet it, the ground and each other."""
    mech, size = aj.Mechanism("pile"), rng.uniform(0.1, 0.3, 3)
    forms = {"box": shapes.Box(*size), **{name: shapes.Sphere(rng.uniform(0.03, 0.08)) for name in ("a", "b")}}
    for name, shape in forms.items():
        mech.add_body(name, joint=joints.FreeQuaternion(), inertia=shape.inertia(rng.uniform(0.2, 1)), shape=shape)
        mech.add_contact(name, friction=rng.uniform(0, 1))
    for name in "ab":
        mech.add_contact(name, on=distances.Box(*size), of="box", friction=rng.uniform(0, 1))
    mech.add_contact("b", on=distances.Sphere(forms["a"].radius), of="a", friction=rng.uniform(0, 1))
    return mech


def heap(rng: Random) -> aj.Mechanism:
    """Balls of which some weigh a thousand times what others do, each of which meets all others and the ground."""
    mech, names = aj.Mechanism("heap"), "abcdef"
    radii = dict(zip(names, rng.uniform(0.05, 0.12, len(names)), strict=True))
    weights = rng.permutation(np.geomspace(0.02, 20.0, len(names)))
    for k, (name, radius) in enumerate(radii.items()):
        ball = shapes.Sphere(radius)
        mech.add_body(name, joint=joints.FreeQuaternion(), inertia=ball.inertia(weights[k]), shape=ball)
        mech.add_contact(name, friction=rng.uniform(0, 1))
        for other in names[:k]:
            mech.add_contact(name, on=distances.Sphere(radii[other]), of=other, friction=rng.uniform(0, 1))
    return mech


def stack(rng: Random) -> aj.Mechanism:
    """Boxes whose corners meet each other's faces and the ground."""
    mech, sizes = aj.Mechanism("stack"), dict(zip("abc", rng.uniform(0.1, 0.3, (3, 3)), strict=True))
    for name, size in sizes.items():
        box = shapes.Box(*size)
        mech.add_body(name, joint=joints.FreeQuaternion(), inertia=box.inertia(rng.uniform(0.2, 2)), shape=box)
        mech.add_contact(name, friction=rng.uniform(0, 1))
    for below, above in ("ab", "bc"):
        for one, other in ((above, below), (below, above)):
            mech.add_contact(one, on=distances.Box(*sizes[other]), of=other, friction=rng.uniform(0, 1))
    return mech


def plates(rng: Random) -> aj.Mechanism:
    """Thin plates and a thin rod on level ground, with dissipation of their own."""
    mech = aj.Mechanism("plates")
    for k in range(3):
        wide, high, thin = rng.uniform(0.1, 0.4), rng.uniform(0.1, 0.4), 10 ** rng.uniform(-3, -2)
        plate = shapes.Box(*rng.permutation([wide, thin if k == 2 else high, thin]))
        solid = plate.inertia(rng.uniform(0.1, 1))
        mech.add_body(f"plate {k}", joint=joints.FreeQuaternion(), inertia=solid, shape=plate)
        mech.add_contact(f"plate {k}", friction=rng.uniform(0, 1), dissipation=rng.uniform(0, 1))
    return mech


def bowl(rng: Random) -> aj.Mechanism:
    """A die and a marble in a bowl that is a plain function of a point."""
    mech, steep = aj.Mechanism("bowl"), rng.uniform(0.2, 0.6)
    form = lambda p: p[2] - steep * (p[0] * p[0] + p[1] * p[1])  # noqa: E731
    for name, shape in {"die": shapes.Box(*rng.uniform(0.06, 0.2, 3)), "marble": shapes.Sphere(0.05)}.items():
        mech.add_body(name, joint=joints.FreeQuaternion(), inertia=shape.inertia(rng.uniform(0.1, 1)), shape=shape)
        mech.add_contact(name, on=form, friction=rng.uniform(0, 1))
    return mech


def creature(rng: Random) -> aj.Mechanism:
    """A trunk on legs of random joints with springs and stops, whose feet and corners touch."""
    mech, size = aj.Mechanism("creature"), rng.uniform(0.1, 0.4, 3)
    trunk = shapes.Box(*size)
    mech.add_body("trunk", joint=joints.FreeQuaternion(), inertia=trunk.inertia(rng.uniform(2, 10)), shape=trunk)
    mech.add_contact("trunk", friction=0.5)
    for leg in range(int(rng.integers(2, 5))):
        parent, at = "trunk", aj.Pose.translation(*(rng.uniform(-0.5, 0.5, 3) * size))
        for k in range(int(rng.integers(1, 4))):
            length, name = float(rng.uniform(0.1, 0.3)), f"leg {leg}.{k}"
            rod = shapes.rod((0, 0, 0), (0, 0, -length), 0.02)
            springs = {"stiffness": rng.uniform(0, 60), "damping": rng.uniform(0.05, 1)}
            joint = limb(rng)
            held = springs if joint.rates_are_velocities else {"damping": springs["damping"]}
            mech.add_body(name, parent, joint, at, rod.inertia(rng.uniform(0.2, 1)), rod, **held)
            parent, at = name, aj.Pose.translation(0, 0, -length)
        foot = shapes.Sphere(0.025, pose=at)
        mech.add_contact(parent, foot, friction=rng.uniform(0, 1))
    return mech


def limb(rng: Random) -> joints.Joint:
    """A joint of a leg."""
    ends = -rng.uniform(0.3, 1.5), rng.uniform(0.3, 1.5)
    made = [joints.Revolute(tuple(rng.normal(size=3)), ends), joints.Universal(), joints.SphericalQuaternion(),
            joints.Prismatic((0, 0, 1), (0.1 * ends[0], 0.1 * ends[1]))]  # fmt: skip
    return made[int(rng.choice(len(made), p=(0.5, 0.2, 0.2, 0.1)))]


def chain(rng: Random, joint: joints.Joint | None = None) -> aj.Mechanism:
    """Capsules joined by cross joints, which touch the ground, rubbing in their joints; or by others, without."""
    mech, length = aj.Mechanism("chain"), float(rng.uniform(0.1, 0.2))
    link, step = shapes.Capsule(0.03, length), aj.Pose.translation(0, 0, -length)
    for k in range(int(rng.integers(3, 8))):
        own = (joint or joints.Universal()) if k else joints.FreeQuaternion()
        parent, place = (mech.bodies[-1], step) if k else (None, None)
        rubbed = {"friction": rng.uniform(0, 0.05), "damping": 0.01} if k and not joint else {}
        drawn = shapes.Capsule(0.03, length, pose=aj.Pose.translation(0, 0, -length / 2))
        solid = link.inertia(0.4).moved(aj.Pose.translation(0, 0, -length / 2))
        mech.add_body(f"link {k}", parent, own, place, solid, drawn, **rubbed)
        mech.add_contact(f"link {k}", friction=0.6)
    return mech


def beads(rng: Random) -> aj.Mechanism:
    """Capsules joined by balls, in which nothing rubs: what they gained would stay."""
    return chain(rng, joints.SphericalQuaternion())


def linkage(rng: Random) -> aj.Mechanism:
    """Four bars in a loop, free in the air, whose corners touch."""
    mech, (wide, high) = aj.Mechanism("linkage"), rng.uniform(0.2, 0.4, 2)
    bar, post = shapes.rod((0, 0, 0), (wide, 0, 0), 0.02), shapes.rod((0, 0, 0), (0, 0, high), 0.02)
    mass = rng.uniform(0.3, 1.5)
    mech.add_body("base", joint=joints.FreeQuaternion(), inertia=bar.inertia(mass), shape=bar)
    place = aj.Pose.translation
    hinge = joints.Revolute("y", limits=(-1.2, 1.2))
    mech.add_body("left", "base", hinge, None, post.inertia(mass), post, damping=0.05)
    mech.add_body("top", "left", joints.Revolute("y"), place(0, 0, high), bar.inertia(mass), bar, damping=0.05)
    mech.add_body("right", "base", joints.Revolute("y"), place(wide, 0, 0), post.inertia(mass), post, damping=0.05)
    mech.add_loop("top", "right", joints.Revolute("y"), at=((wide, 0, 0), (0, 0, high)))
    for name in ("base", "top"):
        mech.add_contact(name, friction=rng.uniform(0, 1))
    return mech


def balls(count: int) -> aj.Mechanism:
    """Balls above each other, all pairs of which may meet, and the ground."""
    mech, ball = aj.Mechanism(f"{count} balls"), shapes.Sphere(0.1)
    for k in range(count):
        mech.add_body(f"ball {k}", joint=joints.FreeQuaternion(), inertia=ball.inertia(0.5), shape=ball)
        mech.add_contact(f"ball {k}", friction=0.4)
        for j in range(k):
            mech.add_contact(f"ball {k}", on=distances.Sphere(0.1), of=f"ball {j}", friction=0.3)
    mech.set_start([x for k in range(count) for x in (1, 0, 0, 0, 0.02 * (k % 3), 0.01 * (k % 2), 0.1 + 0.205 * k)])
    return mech


def boxes(count: int) -> aj.Mechanism:
    """Boxes on each other, which touch both ways."""
    mech, size = aj.Mechanism(f"{count} boxes"), (0.3, 0.2, 0.1)
    for k in range(count):
        box = shapes.Box(*size)
        mech.add_body(f"box {k}", joint=joints.FreeQuaternion(), inertia=box.inertia(1.0), shape=box)
        for one, other in ((k, k - 1), (k - 1, k)) if k else ():
            mech.add_contact(f"box {one}", on=distances.Box(*size), of=f"box {other}", friction=0.5)
    mech.add_contact("box 0", friction=0.5)
    mech.set_start([x for k in range(count) for x in (1, 0, 0, 0, 0, 0, 0.05 + 0.101 * k)])
    return mech


KINDS: dict[str, Callable[[Random], aj.Mechanism]] = {
    "tumblers": tumblers, "creature": creature, "pile": pile, "chain": chain, "bowl": bowl, "linkage": linkage,
    "heap": heap, "plates": plates, "stack": stack, "beads": beads,
}  # fmt: skip


def starts(mech: aj.Mechanism, batch: int, rng: Random) -> tuple[Array, Array]:
    """Free bodies one above the other, high enough to touch nothing, turned and moving at random."""
    q, v = np.tile(np.asarray(mech.neutral, dtype=float), (batch, 1)), np.zeros((batch, mech.nv))
    free = [body for body in mech.bodies if body.joint.nq == 7]
    low = 0.5 if len(free) > 1 else 1.5
    for k, body in enumerate(free):
        turn = rng.normal(size=(batch, 4))
        q[:, body.q] = np.hstack([turn / np.linalg.norm(turn, axis=1)[:, None], rng.uniform(-0.1, 0.1, (batch, 3))])
        q[:, body.q.stop - 1] += low + APART * k
        v[:, body.v] = 2 * rng.normal(size=(batch, 6))
    return q, v
