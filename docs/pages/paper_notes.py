"""Why an equation of a paper has no function of its own, or what is to be known about it; by paper and number."""

GLOBAL = "all bodies in one matrix equation; checked in numbers, and never built: the sweeps walk through it"
PARTICLES = "a step of the derivation on particles, checked on a body made of seven"
STEP = "a step of the derivation, checked at its two ends and by the identity (42) that it rests on"
CENTRE = "about the centre of mass; our recursion follows the origin of the frame, and `model.cartesian` has the centre"

NOTES: dict[str, dict[str, str]] = {
    "SG": {
        "eq. 7": "the matrix form of (8), by (6) and (1)",
        "eq. 10": "the derivative of Ad, which becomes -ad in (11) and (19); checked in numbers",
        "eq. 36": "(8) with " + GLOBAL,
        "eq. 37": "(11) with " + GLOBAL,
        "eq. 38-40": "which body is whose parent, as a matrix; here it is `plan.parents`",
        "eq. 41-45": GLOBAL,
        "eq. 46-49": "(14) and (15) with " + GLOBAL,
        "eq. 50": "(16) again",
        "eq. 59, 60": GLOBAL,
    },
    "GL": {
        "eq. 2, 3": "Newton's and Euler's laws summed over bodies, where (4) and (5) begin",
        "eq. 4-6": "not factored, so quadratic in the number of bodies: a baseline, and (13) is what is run",
        "eq. 7-9": "derivatives of A are A times the joint's twist, so that any joint will do",
        "eq. 10-12": "the same trace with P Wdd^T in place of t a^T - B U^T / 2; the two differ by a symmetric matrix",
    },
    "RM": {
        "eq. 2": "a pose times a point, `Pose.R @ x + Pose.p`",
        "eq. 3": "the order of twists, angular part first, everywhere",
        "eq. 7": "the derivative of Ad before it is factored into (8)",
        "eq. 13, 14": "the relative twist of a joint; (15) is its solution for the child",
        "eq. 61": "derivatives of the patch are taken by D*, not written down",
        "eq. 29, 30": "the paper prints S of a hinge with a row too many: it is (a, 0)",
    },
    "PAK": {},
    "LJ": {
        "eq. 1-12": PARTICLES,
        "eq. 15": PARTICLES,
        "eq. 18, 19": PARTICLES,
        "eq. 25": PARTICLES,
        "eq. 33-44": STEP,
        "eq. 74-76": CENTRE,
        "eq. 81": "the ground is the parent of the first bodies, at rest: the same sweep serves",
        "eq. 82, 83": "a joint that slides is like any other here: its S has linear rows",
    },
}
