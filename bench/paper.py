"""Table 1 of Si & Guenter, "Linear-Time Dynamics for Multibody Systems with General Joint Models"."""

PAPER_DOFS = {"RC20": 20, "RC50": 50, "RC100": 100, "TC10": 38, "TC20": 78, "windmill": 73}

PAPER_MS = {
    "Si & Guenter, method I (symbolic)": {
        "RC20": 0.020,
        "RC50": 0.050,
        "RC100": 0.112,
        "TC10": 0.055,
        "TC20": 0.115,
        "windmill": 0.108,
    },
    "Featherstone, as they measured it": {"RC20": 0.025, "RC50": 0.064, "RC100": 0.127},
    "SD/FAST, as they measured it": {"RC20": 0.016, "RC50": 0.136},
    "Si & Guenter, method II (mixed)": {
        "RC20": 1.0,
        "RC50": 2.4,
        "RC100": 4.9,
        "TC10": 1.05,
        "TC20": 2.2,
        "windmill": 2.4,
    },
}
"""Method -> mechanism -> milliseconds per evaluation, on one core of a 2.67 GHz Core 2 Quad."""
