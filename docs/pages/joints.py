"""The page of joint kinds: docstring, coordinates and a picture of each, straight from the classes."""

import inspect
from pathlib import Path
from typing import Any

from pages.samples import sample
from pages.text import markdown, table


def page(root: Path, folder: Path) -> str:
    """One section per joint kind."""
    return "\n".join(_section(kind, folder) for kind in kinds())


def kinds() -> list[type]:
    """The joint kinds that have a section."""
    from anyjoint import joints

    return [k for n in joints.__all__ if inspect.isclass(k := getattr(joints, n)) and _is_kind(k, joints.Joint)]


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
    """The child at a regular place (solid) and as each coordinate moves (ghosts), with the joint frame (axes)."""
    import matplotlib as mpl
    import numpy as np

    mpl.use("Agg")
    mpl.rcParams["svg.hashsalt"] = "anyjoint"
    from matplotlib import pyplot

    home = [c.neutral for c in joint.coordinates]
    sweeps = [[_matrix(joint, q) for q in sweep] for sweep in _sweeps(joint, home)]
    here, moved = _matrix(joint, home), [T for sweep in sweeps for T in sweep]
    travel = np.array([T[:3, 3] for T in [np.eye(4), here, *moved]])
    size = 0.22 * max(float(np.ptp(travel, axis=0).max()), 1.0)
    fixed, moving = _scenery(joint)
    figure = pyplot.figure(figsize=(4.2, 3.6))
    axes: Any = figure.add_axes((0, 0, 1, 1), projection="3d")
    _triad(axes, np.eye(4), 1.6 * size)
    for sweep, color in zip(sweeps, COLORS, strict=False):
        for T in () if moving else sweep[::4]:
            _brick(axes, T, size, color, 0.14)
        axes.plot(*np.array([T[:3, 3] for T in sweep]).T, color=color, lw=1.4)
        axes.plot(*np.array([T[:3, :] @ [1.6 * size, 0, 0, 1] for T in sweep]).T, color=color, lw=1.0, ls=":")
    if not moving:
        _brick(axes, here, size, "#475569", 0.75)
    scenery = [_wires(axes, g, np.eye(4), "#94a3b8") for g in fixed] + [
        _wires(axes, g, here, "#1e293b") for g in moving
    ]
    tips = [T[:3, :] @ [1.6 * size, 0, 0, 1] for T in [np.eye(4), here, *moved]]
    points = np.concatenate([travel, tips, 1.8 * size * np.eye(3), *scenery])
    _frame(axes, points)
    figure.savefig(path, transparent=True, bbox_inches=_crop(figure, axes, points), metadata={"Date": None})
    pyplot.close(figure)


COLORS = ("#dc2626", "#2563eb", "#16a34a", "#d97706", "#7c3aed", "#0891b2")


def _matrix(joint: Any, q: list[float]) -> Any:
    import numpy as np

    return np.asarray(joint.pose(q).matrix, dtype=float)


def _sweeps(joint: Any, home: list[float]) -> list[list[list[float]]]:
    """For each coordinate, configurations along it, well inside its domain."""
    out = []
    for i, c in enumerate(joint.coordinates):
        low, high = max(c.domain[0], home[i] - 1.6), min(c.domain[1], home[i] + 1.6)
        out.append([[*home[:i], low + (high - low) * (k + 0.5) / 25, *home[i + 1 :]] for k in range(25)])
    return out


def _scenery(joint: Any) -> tuple[list[Any], list[Any]]:
    """Curves and surfaces that the joint rides on: the parent's, and the child's instead of a brick."""
    fixed = [getattr(joint, n) for n in ("curve", "surface", "curve1", "surface1") if hasattr(joint, n)]
    moving = [getattr(joint, n) for n in ("curve2", "surface2") if hasattr(joint, n)]
    return ([], fixed) if getattr(joint, "slide", False) else (fixed, moving)


def _wires(axes: Any, geometry: Any, T: Any, color: str) -> Any:
    """Draw a curve or the parameter lines of a surface; returns its points."""
    import numpy as np

    if hasattr(geometry, "polyline"):
        lines = [geometry.polyline(120)]
    else:
        (u0, u1), (v0, v1) = (_finite(d) for d in geometry.domain)
        us, vs = np.linspace(u0, u1, 33), np.linspace(v0, v1, 33)
        lines = [[geometry.point(u, v) for v in vs] for u in us[::2]] + [
            [geometry.point(u, v) for u in us] for v in vs[::2]
        ]
    lines = [np.asarray(line, dtype=float) @ T[:3, :3].T + T[:3, 3] for line in lines]
    for line in lines:
        axes.plot(*line.T, color=color, lw=0.6, alpha=0.8)
    return np.concatenate(lines)


def _finite(domain: tuple[float, float]) -> tuple[float, float]:
    return max(domain[0], -10.0), min(domain[1], 10.0)


def _crop(figure: Any, axes: Any, points: Any) -> Any:
    """The part of the figure, in inches, where the points are; three-dimensional axes do not crop themselves."""
    from matplotlib.transforms import Bbox
    from mpl_toolkits.mplot3d.proj3d import proj_transform

    x, y, _ = proj_transform(*points.T, axes.get_proj())
    box = Bbox.null()
    box.update_from_data_xy(axes.transData.transform(list(zip(x, y, strict=True))))
    return box.transformed(figure.dpi_scale_trans.inverted()).padded(0.25)


def _triad(axes: Any, T: Any, length: float) -> None:
    for i, name in enumerate("xyz"):
        tip = T[:3, 3] + length * T[:3, i]
        axes.plot(*zip(T[:3, 3], tip, strict=True), color="#94a3b8", lw=1.4)
        axes.text(*(T[:3, 3] + 1.1 * length * T[:3, i]), name, color="#94a3b8", fontsize=9)


def _brick(axes: Any, T: Any, size: float, color: str, alpha: float) -> None:
    """A brick that reaches along the child's x axis, wider in y than in z, so that its attitude can be seen."""
    import numpy as np
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    low, high = np.array([0, -0.35, -0.12]) * size, np.array([1.6, 0.35, 0.12]) * size
    corner = {b: T[:3, :3] @ np.where(b, high, low) + T[:3, 3] for b in np.ndindex(2, 2, 2)}
    faces = []
    for axis in range(3):
        for side in range(2):
            ring = ((0, 0), (0, 1), (1, 1), (1, 0))
            faces.append([corner[(*r[:axis], side, *r[axis:])] for r in ring])  # type: ignore[index]
    axes.add_collection3d(Poly3DCollection(faces, facecolor=color, edgecolor=color, lw=0.5, alpha=alpha))


def _frame(axes: Any, points: Any) -> None:
    """Equal scales, a box around all points, no decoration."""
    low, high = points.min(axis=0), points.max(axis=0)
    half = max(0.5 * float((high - low).max()), 0.45)
    for set_limits, middle in zip((axes.set_xlim, axes.set_ylim, axes.set_zlim), (low + high) / 2, strict=True):
        set_limits(middle - half, middle + half)
    axes.set_box_aspect((1, 1, 1), zoom=1.25)
    axes.set_axis_off()
    axes.view_init(elev=24, azim=-58)
