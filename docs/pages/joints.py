"""The page of joint kinds: docstring, coordinates and a picture of each, straight from the classes."""

import inspect
from pathlib import Path
from typing import Any

from pages.samples import sample
from pages.text import markdown, table


def page(root: Path, folder: Path) -> str:
    """One section per joint kind."""
    from anyjoint import joints

    kinds = [k for n in joints.__all__ if inspect.isclass(k := getattr(joints, n)) and _is_kind(k, joints.Joint)]
    return "\n".join(_section(kind, folder) for kind in kinds)


def _is_kind(cls: type, base: type) -> bool:
    return issubclass(cls, base) and cls is not base and bool(cls.__doc__)


def _section(kind: type, folder: Path) -> str:
    lines = [f"## {kind.__name__}", "", markdown(inspect.getdoc(kind)), ""]
    joint = sample(kind.__name__)
    if joint is not None:
        picture = folder / f"joint-{kind.__name__}.svg"
        draw(joint, picture)
        lines += [_coordinates(joint), f"![{kind.__name__}](generated/{picture.name})", ""]
    return "\n".join(lines)


def _coordinates(joint: Any) -> str:
    rows = [[f"`q[{i}]`", c.name, c.unit, _interval(c.domain)] for i, c in enumerate(joint.coordinates)]
    return table(["coordinate", "name", "unit", "domain"], rows) if rows else ""


def _interval(domain: tuple[float, float]) -> str:
    return f"{domain[0]:.3g} to {domain[1]:.3g}"


def draw(joint: Any, path: Path) -> None:
    """The child's frame at a regular place (thick) and as each coordinate moves (thin), in the joint frame (grey)."""
    import matplotlib as mpl
    import numpy as np

    mpl.use("Agg")
    mpl.rcParams["svg.hashsalt"] = "anyjoint"
    from matplotlib import pyplot

    home = [c.neutral for c in joint.coordinates]
    here = _matrix(joint, home)
    moved = [_matrix(joint, q) for q in _moves(joint, home)]
    everything = np.array([T[:3, 3] for T in [np.eye(4), here, *moved]])
    size = max(float(np.ptp(everything, axis=0).max()), 0.5)
    figure = pyplot.figure(figsize=(3.6, 3.2))
    axes: Any = figure.add_subplot(projection="3d")
    _triad(axes, np.eye(4), 0.3 * size, "grey", 2.0)
    for T in moved:
        _triad(axes, T, 0.18 * size, None, 0.9, alpha=0.55)
    _triad(axes, here, 0.32 * size, None, 2.6)
    centre = (everything.max(axis=0) + everything.min(axis=0)) / 2
    for set_limits, middle in zip((axes.set_xlim, axes.set_ylim, axes.set_zlim), centre, strict=True):
        set_limits(middle - 0.7 * size, middle + 0.7 * size)
    axes.set_box_aspect((1, 1, 1))
    axes.set_axis_off()
    axes.view_init(elev=24, azim=-58)
    figure.savefig(path, transparent=True, bbox_inches="tight", metadata={"Date": None})
    pyplot.close(figure)


def _matrix(joint: Any, q: list[float]) -> Any:
    import numpy as np

    return np.asarray(joint.pose(q).matrix, dtype=float)


def _moves(joint: Any, home: list[float]) -> list[list[float]]:
    """Configurations along each coordinate, well inside its domain."""
    out = []
    for i, c in enumerate(joint.coordinates):
        low, high = max(c.domain[0], home[i] - 1.6), min(c.domain[1], home[i] + 1.6)
        for k in range(9):
            q = list(home)
            q[i] = low + (high - low) * (k + 0.5) / 9
            out.append(q)
    return out


def _triad(axes: Any, T: Any, length: float, color: str | None, width: float, alpha: float = 1.0) -> None:
    for i, own in enumerate(("#dc2626", "#16a34a", "#2563eb")):
        tip = T[:3, 3] + length * T[:3, i]
        axes.plot(*zip(T[:3, 3], tip, strict=True), color=color or own, lw=width, alpha=alpha, solid_capstyle="round")
