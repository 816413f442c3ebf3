"""Sine and cosine together by range reduction and minimax polynomials: the numbers, and the algorithm on floats.

x + y = k pi/2 + r with |r| <= pi/4; sin and cos of r are polynomials; k mod 4 says which is which and its sign.
Two reductions give the same accuracy (below 1.5 ulp for |x| <= 1e6, also next to multiples of pi/2):

* with fma, pi/2 is three full numbers and each fma rounds once;
* without, pi/2 is four numbers whose first three times k are exact, and the rounding errors are carried in `low`.

A number y (a hinge's own angle) joins when x has been reduced already, so that a huge x costs none of its digits.

Beyond 1e6, and for infinities and NaN, the C library answers. The coefficients come from a Remez exchange in
50-digit arithmetic; a test checks them against mpmath.
"""

from __future__ import annotations

import math

LIMIT = 1e6
TWO_OVER_PI = 2.0 / math.pi

# sin r = r + r z S(z), cos r = 1 + z (-1/2 + z C(z)), z = r^2; lowest power first.
SIN_DOUBLE = (
    -0.16666666666666632,
    0.008333333333322424,
    -0.00019841269829816378,
    2.7557313695058836e-06,
    -2.505075863028986e-08,
    1.5896826733287708e-10,
)
COS_DOUBLE = (
    0.0416666666666666,
    -0.0013888888888874138,
    2.4801587289491763e-05,
    -2.755731435522682e-07,
    2.087572368272817e-09,
    -1.1359669791867015e-11,
)
# Single precision: fitted to |r| <= 0.82, because k = round(x * 2/pi) is less sharp there.
SIN_SINGLE = (-0.16666650772094727, 0.008331961929798126, -0.00019488373072817922)
COS_SINGLE = (0.04166664183139801, -0.0013887082459405065, 2.4406001102761365e-05)

# pi/2 as sums. All parts are positive (each rounded towards zero), so that sin(-0) stays -0.
HALF_PI_FMA_DOUBLE = (1.5707963267948966, 6.123233995736765e-17, 1.0828566739219139e-32)
HALF_PI_FMA_SINGLE = (1.570796251296997, 7.549789415861596e-08, 5.390302529957765e-15)
HALF_PI_PLAIN = (1.5707963267341256, 6.077100506303966e-11, 2.0222662487111665e-21, 8.4784276603689e-32)


def sincos(x: float, y: float = -0.0) -> tuple[float, float]:
    """sin and cos of x + y in plain double arithmetic: what generated code computes when contraction is off."""
    if not abs(x + y) <= LIMIT:
        return _library(x, y)
    k = float(math.floor((x + y) * TWO_OVER_PI + 0.5))
    r, low = _reduce(x, y, k)
    z = r * r
    s, c = SIN_DOUBLE[-1], COS_DOUBLE[-1]
    for a, b in zip(SIN_DOUBLE[-2::-1], COS_DOUBLE[-2::-1], strict=True):
        s, c = s * z + a, c * z + b
    sine = r + (r * (z * s) + low)
    cosine = 1.0 + (z * (z * c - 0.5) - r * low)
    quadrant = int(k) & 3
    if quadrant & 1:
        sine, cosine = cosine, sine
    return (-sine if quadrant & 2 else sine), (-cosine if (quadrant + 1) & 2 else cosine)


def _reduce(x: float, y: float, k: float) -> tuple[float, float]:
    """r + low = x + y - k pi/2; k times each of the first three parts is exact."""
    p1, p2, p3, p4 = HALF_PI_PLAIN
    r1 = (x - k * p1) + y  # the difference is exact up to rounding at the size of y
    t2 = k * p2
    r2 = r1 - t2
    e2 = (r1 - r2) - t2
    t3 = k * p3
    r3 = r2 - t3
    e3 = (r2 - r3) - t3
    return r3, (e2 + e3) - k * p4


def _library(x: float, y: float) -> tuple[float, float]:
    if not math.isfinite(x + y):
        return math.nan, math.nan
    s, c = math.sin(x), math.cos(x)
    return s * math.cos(y) + c * math.sin(y), c * math.cos(y) - s * math.sin(y)


C_TEXT = """\
#ifdef __FAST_MATH__ /* reassociation would undo the range reduction */
#define WITHIN(sum) 0
#else
#define WITHIN(sum) (fabs(sum) <= {limit})
#endif

/* Sine and cosine of x + y within the range of the reduction. */
static void sincos_reduced(double x, double y, double *sine, double *cosine)
{{
    const double k = ((x + y) * {two_over_pi} + 6755399441055744.0) - 6755399441055744.0; /* the nearest integer */
    const double r1 = (x - k * {p1}) + y;
    const double t2 = k * {p2};
    const double r2 = r1 - t2;
    const double e2 = (r1 - r2) - t2;
    const double t3 = k * {p3};
    const double r = r2 - t3;
    const double e3 = (r2 - r) - t3;
    const double low = (e2 + e3) - k * {p4};
    const double z = r * r;
    const double s = {sine};
    const double c = {cosine};
    const double even = r + (r * (z * s) + low);
    const double odd = 1.0 + (z * (z * c - 0.5) - r * low);
    const int quadrant = (int)k;
    const double a = quadrant & 1 ? odd : even;
    const double b = quadrant & 1 ? even : odd;
    *sine = quadrant & 2 ? -a : a;
    *cosine = (quadrant + 1) & 2 ? -b : b;
}}

/* Sines and cosines of x + y, side by side; the C library knows those that are huge. */
static void sincos_of(
    int count, const double *restrict x, const double *restrict y, double *restrict sine, double *restrict cosine)
{{
    int outside = 0;
    for (int i = 0; i < count; i++) outside += !WITHIN(x[i] + y[i]);
    for (int i = 0; outside && i < count; i++) {{
        sine[i] = sin(x[i]) * cos(y[i]) + cos(x[i]) * sin(y[i]);
        cosine[i] = cos(x[i]) * cos(y[i]) - sin(x[i]) * sin(y[i]);
    }}
    if (outside) return;
    for (int i = 0; i < count; i++) sincos_reduced(x[i], y[i], sine + i, cosine + i);
}}
"""

JS_TEXT = """\
const pair = new Float64Array(2);
// Sine and cosine of x + y; x may be huge.
function sincosOf(x, y) {{
  if (!(Math.abs(x + y) <= {limit})) {{
    pair[0] = Math.sin(x) * Math.cos(y) + Math.cos(x) * Math.sin(y);
    pair[1] = Math.cos(x) * Math.cos(y) - Math.sin(x) * Math.sin(y);
    return;
  }}
  const k = Math.floor((x + y) * {two_over_pi} + 0.5);
  const r1 = (x - k * {p1}) + y;
  const t2 = k * {p2};
  const r2 = r1 - t2;
  const e2 = (r1 - r2) - t2;
  const t3 = k * {p3};
  const r = r2 - t3;
  const e3 = (r2 - r) - t3;
  const low = (e2 + e3) - k * {p4};
  const z = r * r;
  const s = {sine};
  const c = {cosine};
  const even = r + (r * (z * s) + low);
  const odd = 1.0 + (z * (z * c - 0.5) - r * low);
  const a = k & 1 ? odd : even;
  const b = k & 1 ? even : odd;
  pair[0] = k & 2 ? -a : a;
  pair[1] = (k + 1) & 2 ? -b : b;
}}
"""


def source(template: str) -> str:
    """The C or JavaScript text of the algorithm with its numbers filled in."""
    p1, p2, p3, p4 = map(repr, HALF_PI_PLAIN)
    return template.format(
        limit=repr(LIMIT),
        two_over_pi=repr(TWO_OVER_PI),
        p1=p1,
        p2=p2,
        p3=p3,
        p4=p4,
        sine=_horner(SIN_DOUBLE),
        cosine=_horner(COS_DOUBLE),
    )


def _horner(coefficients: tuple[float, ...]) -> str:
    *lower, next_one, highest = coefficients
    text = f"{highest!r} * z + {next_one!r}"
    for a in reversed(lower):
        text = f"({text}) * z + {a!r}"
    return text
