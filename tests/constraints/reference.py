"""Mechanisms with loops, knife edges and prescribed motion of other people's numbers (tests/data)."""

import numpy as np

import anyjoint as aj
from anyjoint import forces, joints
from dynamics.reference import load

X, Z = (1, 0, 0), (0, 0, 1)
FOUR_BARS, SQUEEZER, SLIDER_CRANK, CAR_AXIS, SLEIGH = map(
    load,
    ("iftomm_A02_N2_fourbar", "andrews_squeezer", "iftomm_spatial_slider_crank", "bari_car_axis", "chaplygin_sleigh"),
)


# -- four-bars -------------------------------------------------------------------------------------------------------


def four_bars(n=2):
    """IFToMM A02 in the plane of x and y: n windows side by side, all rods of length 1."""
    mech = aj.Mechanism("four-bars", gravity=(0, -9.81, 0))
    rod = aj.Inertia(1.0, (0.5, 0, 0), np.diag([0.0, 1 / 12, 1 / 12]))
    up = mech.add_body("vertical 0", None, joints.Revolute(Z), inertia=rod)
    for k in range(1, n + 1):
        coupler = mech.add_body(f"coupler {k}", up, joints.Revolute(Z), aj.Pose.translation(1, 0, 0), rod)
        up = mech.add_body(f"vertical {k}", None, joints.Revolute(Z), aj.Pose.translation(k, 0, 0), rod)
        mech.add_loop(coupler, up, joints.Revolute(Z), at=((1, 0, 0), (1, 0, 0)))
    # Angles of verticals and, against them, of couplers; the first tip moves to the right.
    mech.set_start([np.pi / 2, *[-np.pi / 2, np.pi / 2] * n], [-1.0, *[1.0, -1.0] * n])
    return mech


# -- Andrews' squeezer -----------------------------------------------------------------------------------------------

ORDER = ["beta", "theta", "gamma", "phi", "delta", "omega", "epsilon"]  # of the case; phi and omega follow their bases


def squeezer(loops=True):
    """Seven bodies in the plane of x and y, and three loops: by hinges, or by the rows of the case."""
    p = {name: float(text) for name, text in SQUEEZER["parameters"].items()}
    mech = aj.Mechanism("squeezer", gravity=(0, 0, 0))

    def body(name, k, parent, place, com):
        inertia = aj.Inertia(p[f"m{k}"], (*com, 0), np.diag([p[f"i{k}"] / 2, p[f"i{k}"] / 2, p[f"i{k}"]]))
        return mech.add_body(name, parent, joints.Revolute(Z), aj.Pose.translation(*place, 0), inertia)

    beta = body("beta", 1, None, (0, 0), (p["ra"], 0))
    body("theta", 2, beta, (p["rr"], 0), (-p["da"], 0))
    body("gamma", 3, None, (p["xb"], p["yb"]), (p["sb"], -p["sa"]))
    delta = body("delta", 5, None, (p["xa"], p["ya"]), (p["ta"], p["tb"]))
    body("phi", 4, delta, (p["zt"], 0), (0, p["ea"] - p["e"]))
    epsilon = body("epsilon", 7, None, (p["xa"], p["ya"]), (-p["ub"], -p["ua"]))
    body("omega", 6, epsilon, (0, -p["u"]), (p["zf"] - p["fa"], 0))
    tip = (-p["d"], 0, 0)
    for name, point in (("gamma", (0, -p["ss"], 0)), ("phi", (0, -p["e"], 0)), ("omega", (p["zf"], 0, 0))):
        if loops:
            mech.add_loop(name, "theta", joints.Revolute(Z), at=(point, tip))
        else:
            mech.add_constraint(at_points(tip, point), bodies=("theta", name), name=name)
    spring = forces.Spring(None, (p["xc"], p["yc"], 0), "gamma", (p["sd"], -p["sc"], 0), p["c0"], length=p["l0"])
    return mech, [spring], p["mom"]


def at_points(on_a, on_b):
    """Two points meet in the plane."""
    return aj.constraint(lambda a, b: (a.act(on_a) - b.act(on_b))[:2])


def in_our_order(mech, row):
    """Numbers of the case as ours."""
    return np.array([float(row[ORDER.index(body.name)]) for body in mech.bodies])


# -- slider crank ----------------------------------------------------------------------------------------------------


def slider_crank(cut):
    """The spatial slider crank, its loop cut at the ball or at the universal joint."""
    mech = aj.Mechanism("slider crank")
    crank = aj.Inertia(0.12, (0, 0, 0.04), np.diag([1e-4, 1e-4, 1e-5]))
    mech.add_body("crank", None, joints.Revolute(X), aj.Pose.translation(0, 0.1, 0.12), crank)
    mech.add_body("slider", None, joints.Prismatic(X), inertia=aj.Inertia(2.0))
    along = np.diag([4e-3, 4e-3, 4e-4])
    angles = -np.arctan2(1, 2), -np.arcsin(2 / 3)  # of the universal joint: slider's x, then the rod's y
    if cut == "ball":  # the rod's frame at the slider, z to the crank
        mech.add_body("rod", "slider", joints.Universal(), inertia=aj.Inertia(0.5, (0, 0, 0.15), along))
        mech.add_loop("crank", "rod", joints.Spherical(), at=((0, 0, 0.08), (0, 0, 0.3)))
        guess = [0.0, 0.2, *angles]
    else:  # the rod's frame at the crank, turned as in the first case at the start
        turn = aj.Pose.rotation_x(angles[0]) @ aj.Pose.rotation_y(angles[1])
        place = aj.Pose.translation(0, 0, 0.08) @ turn
        mech.add_body("rod", "crank", joints.Spherical(), place, aj.Inertia(0.5, (0, 0, -0.15), along))
        mech.add_loop("slider", "rod", joints.Universal(), at=((0, 0, 0), (0, 0, -0.3)))
        guess = [0.0, 0.2, 0.0, 0.0, 0.0]
    model = mech.compile()
    return model, *model.assemble(guess, [6.0, *[0.0] * (mech.nv - 1)], hold="crank")


# -- car axis, sleigh ------------------------------------------------------------------------------------------------


def car_axis():
    """Two points on springs, one on the ground and one on a base that moves with time; the axis between them."""
    p = {name: float(text) for name, text in CAR_AXIS["model"]["parameters"].items()}
    mech = aj.Mechanism("car axis", gravity=(0, -p["g"], 0))
    for name in ("left", "right"):
        mech.add_body(name, None, joints.Planar(), inertia=aj.Inertia(p["M"] * p["eps"] ** 2 / 2))
    mech.add_body("base", None, joints.Planar(), inertia=aj.Inertia(1.0))

    def base(t):
        y = p["r"] * aj.sin(p["w"] * t)
        return aj.sqrt(p["L"] ** 2 - y * y), y

    @aj.constraint
    def across(left, t):
        """Left of the chassis, the wheel moves at right angles to the road."""
        x, y = base(t)
        return left.p[0] * x + left.p[1] * y

    @aj.constraint
    def axis(left, right):
        d = left.p - right.p
        return d @ d - p["L"] ** 2

    mech.add_constraint(across, bodies="left", time=True)
    mech.add_constraint(axis, bodies=("left", "right"))
    mech.prescribe("base", base)
    springs = [forces.Spring(a, (0, 0, 0), b, (0, 0, 0), 1.0, length=p["L0"]) for a, b in CAR_SPRINGS]
    return mech, springs


CAR_SPRINGS = ((None, "left"), ("base", "right"))


@aj.velocity_constraint
def knife(pose, twist):
    """An edge along x does not slip sideways."""
    return twist.linear[1]


def sleigh():
    """Chaplygin's sleigh: a body in the plane on a knife edge at its origin, its centre of mass ahead."""
    mech = aj.Mechanism("sleigh")
    mech.add_body("sleigh", None, joints.FreePlanar(), inertia=aj.Inertia(2.0, (0.4, 0, 0), np.diag([0.2, 0.4, 0.5])))
    mech.add_constraint(knife, bodies="sleigh")
    return mech
