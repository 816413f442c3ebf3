"""How soft MuJoCo's constraints are, as springs and dampers on a unit mass."""

from __future__ import annotations

from typing import Any

LEAST, MOST = 1e-4, 0.9999  # of an impedance: mjMINIMP, mjMAXIMP
TINY = 1e-15  # mjMINVAL


def softness(solref: Any, solimp: Any) -> tuple[float, float]:
    """Stiffness and damping, in 1/s^2 and 1/s, that a constraint answers a steady load with.

    A constraint of MuJoCo takes the part d of the acceleration without it away, and d of what `solref` asks for comes
    in: it gives way to the part 1 - d of a load, as a spring does that is d / (1 - d) times as stiff. d is that of
    `solimp` where the constraint begins.
    """
    first, second = (float(x) for x in solref[:2])
    begin, end = (min(max(float(x), LEAST), MOST) for x in solimp[:2])
    if first > 0:
        stiffness, damping = 1 / max((end * first * second) ** 2, TINY), 2 / (end * first)
    else:
        stiffness, damping = -first / end**2, max(-second / end, TINY)
    share = begin / (1 - begin)
    return share * stiffness, share * damping
