"""Make the pictures of the gallery: python examples/thumbnails/make.py [NAME ...]; needs Chromium and Pillow."""

import runpy
import sys
import tempfile
from pathlib import Path

from PIL import Image

from anyjoint.view.screenshot import screenshot

HERE = Path(__file__).resolve().parent
# Seconds into the run at which a mechanism looks best; the others are taken a second after the start.
MOMENTS = {
    "ball_in_bowl": 0.5, "bead_at_large_steps": 2.0, "bicycle": 0.45, "board_on_spline_surface": 0.5, "bracelet": 0.8,
    "chain_of_1000_links": 4.0, "chain_of_four_bars": 0.5, "delta_robot": 2.0, "stewart_platform": 2.2,
    "contact_patches": 1.5, "dominoes": 0.42, "double_pendulum": 9.0, "four_bar_knee": 0.1, "furuta_pendulum": 1.5,
    "muscle_arm": 0.8, "rattleback": 3.4, "rolling_wheels": 0.4, "shoulder_blade": 0.12, "spherical_and_universal": 0.6,
    "spinning_egg": 0.6, "spline_knee": 0.3, "stiff_rope": 0.9, "tongs_with_fish": 0.0, "torus_chain": 0.35,
    "windmill": 3.0, "wine_glass": 0.35, "writing_arm": 0.0,
}  # fmt: skip


def picture(script: Path) -> Path:
    """Simulate a script up to its best moment and take its picture."""
    module = runpy.run_path(str(script))
    moment = MOMENTS.get(script.stem, 1.0)
    mech = module["build"]()
    run = {"duration": moment + 0.2, "dt": module["DT"], "method": module["METHOD"]}
    run |= {"forces": module["acting"]()} if "acting" in module else {}
    traj = mech.compile().simulate(*mech.start, **run)
    with tempfile.TemporaryDirectory() as folder:
        page, raw = Path(folder) / "page.html", Path(folder) / "page.png"
        traj.to_html(str(page))
        screenshot(page, raw, time=moment, size=(640, 400), bare=True)
        out = HERE / f"{script.stem}.jpg"
        Image.open(raw).convert("RGB").save(out, quality=88, optimize=True)
    return out


# Of the optimisations: the function that solves them, and the moment of the last iteration that is shown.
OPTIMAL = {"cart_pole": ("swing_up", 1.55), "torus_tower": ("swing_up", 1.5), "even_ride": ("smooth", 1.2)}


def optimised(script: Path) -> Path:
    """Solve a script of `optimal` and take a picture of its page, with the slider over iterations."""
    name, moment = OPTIMAL[script.stem]
    found = runpy.run_path(str(script))[name]()
    with tempfile.TemporaryDirectory() as folder:
        page, raw = Path(folder) / "page.html", Path(folder) / "page.png"
        found.to_html(page)
        screenshot(page, raw, time=moment, size=(1000, 620))
        out = HERE / f"{script.stem}.jpg"
        Image.open(raw).convert("RGB").save(out, quality=84, optimize=True)
    return out


if __name__ == "__main__":
    wanted = [name.replace("-", "_") for name in sys.argv[1:]]
    for path in sorted(HERE.parent.glob("*.py")):
        if not wanted or path.stem in wanted:
            print(picture(path))
    for path in sorted((HERE.parent / "optimal").glob("*.py")):
        if path.stem in (wanted or OPTIMAL):
            print(optimised(path))
