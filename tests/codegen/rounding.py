"""A running first-order analysis of rounding errors, in 40-digit arithmetic: the bound that compiled code must keep."""

import math

import mpmath
from mpmath import mpf

from anyjoint.symbolic import Op
from anyjoint.symbolic.interpret import evaluate_ids
from anyjoint.symbolic.rewrite import reachable

# |d result / d operand| at exact operands; comparisons and jumps depend on inputs alone, which are exact.
SLOPES = {
    Op.ADD: lambda a, b: (1, 1),
    Op.SUB: lambda a, b: (1, 1),
    Op.MUL: lambda a, b: (b, a),
    Op.DIV: lambda a, b: (1 / b, a / b**2),
    Op.NEG: lambda a: (1,),
    Op.SQRT: lambda a: (1 / (2 * mpmath.sqrt(a)),),
    Op.SIN: lambda a: (mpmath.cos(a),),
    Op.COS: lambda a: (mpmath.sin(a),),
    Op.TAN: lambda a: (1 + mpmath.tan(a) ** 2,),
    Op.ASIN: lambda a: (1 / mpmath.sqrt(1 - a * a),),
    Op.ACOS: lambda a: (1 / mpmath.sqrt(1 - a * a),),
    Op.ATAN2: lambda a, b: (b / (a * a + b * b), a / (a * a + b * b)),
    Op.EXP: lambda a: (mpmath.exp(a),),
    Op.LOG: lambda a: (1 / a,),
    Op.POW: lambda a, b: (b * a ** (b - 1), a**b * mpmath.log(a)),
    Op.ABS: lambda a: (1,),
    Op.MIN: lambda a, b: (1, 1),
    Op.MAX: lambda a, b: (1, 1),
    Op.FLOOR: lambda a: (0,),
    Op.REM: lambda a, b: (1, mpmath.floor(abs(a / b))),
    Op.SELECT: lambda c, a, b: (0, 1, 1),
}
ULPS = 2  # error of one operation
SECOND_ORDER = mpf("1.001")


def bounds(outputs, variables, point):
    """(exact values, bounds of their absolute errors) of outputs at a point of floats."""
    graph = outputs[0].graph
    roots = [node.id for node in outputs]
    with mpmath.workdps(40):
        exact = evaluate_ids(graph, roots, {x.id: mpf(float(v)) for x, v in zip(variables, point, strict=True)})
        error = {}
        for node in reachable(graph, roots):
            op = Op(graph.op[node])
            if op in (Op.CONST, Op.VAR, Op.GATHER, Op.LT, Op.LE, Op.EQ):
                error[node] = mpf(0)
                continue
            operands = graph.operands(node)
            slopes = SLOPES[op](*(exact[i] for i in operands))
            carried = sum(abs(slope) * error[i] for slope, i in zip(slopes, operands, strict=True))
            own = ULPS * mpf(math.ulp(abs(float(exact[node])) + float(carried)))
            error[node] = SECOND_ORDER * carried + own
        return [exact[i] for i in roots], [error[i] for i in roots]
