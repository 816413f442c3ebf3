"""One page for several motions of a mechanism, such as the iterations of an optimisation: a slider chooses."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anyjoint.errors import InputError
from anyjoint.view.page import write_page
from anyjoint.view.record import ground_drawings, model_of, trajectory_motion, trajectory_scene
from anyjoint.view.scene import Scene, Variant, Variants

if TYPE_CHECKING:
    from anyjoint.simulate import Trajectory

FRAME_RATE = 30.0


def variants_page(runs: Iterable[tuple[str, float, Trajectory]], path: str | Path, **options: Any) -> Path:
    """Write the page of several runs: of each what it is called, its number and its trajectory."""
    return write_page(variants_scene(runs, **options), path)


def variants_scene(
    runs: Iterable[tuple[str, float, Trajectory]], *, name: str = "iteration", value: str = "cost", count: int = 1,
    frame_rate: float = FRAME_RATE, **options: Any,
) -> Scene:  # fmt: skip
    """The scene of several runs, which opens with the last one; `count` is about how many they are.

    A run may belong to other parameters of the model: it is looked at when it is its turn. What stands still is drawn
    for each of them where it is not the same in all.
    """
    items: list[Variant] = []
    scene = None
    for label, number, traj in runs:
        motion = trajectory_motion(traj, frame_rate, 1 / max(1, count))
        items.append(Variant(label, number, motion, ground_drawings(model_of(traj).mechanism)))
        scene = trajectory_scene(traj, frame_rate=frame_rate, **options)
    if scene is None:
        raise InputError("a page of several motions needs one at least")
    same = all(item.fixed == items[0].fixed for item in items)
    if same:
        items = [replace(item, fixed=()) for item in items]
    fixed = scene.fixed if same else ()
    return replace(scene, motion=None, fixed=fixed, variants=Variants(name, value, tuple(items)))
