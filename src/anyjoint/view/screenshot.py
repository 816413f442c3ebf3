"""Pictures of pages: python -m anyjoint.view.screenshot page.html out.png [--size 1280x800] [--time 2] ...

Given two folders, every page of the first gets a picture of the same name in the second.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from anyjoint.errors import AnyjointError, InputError
from anyjoint.view.browser import Browser


def screenshot(
    page: str | Path,
    picture: str | Path,
    *,
    size: tuple[int, int] = (1280, 800),
    scale: float = 1.0,
    time: float | None = None,
    theme: str | None = None,
    lite: bool = False,
    bare: bool = False,
    script: str | None = None,
) -> list[Path]:
    """Save pictures of a page or of a folder of pages; returns their paths.

    They show the page at a `time` of its motion, `bare` without its controls, after running a `script`.
    """
    query = [f"lite={int(lite)}", "play=0"]
    query += [f"t={time:g}"] if time is not None else []
    query += [f"theme={theme}"] if theme else []
    query += ["bare"] if bare else []
    jobs = _jobs(Path(page), Path(picture))
    with Browser(*size, scale=scale) as browser:
        for source, target in jobs:
            browser.open(source, "&".join(query))
            if script:
                browser.evaluate(script)
            drawn = browser.evaluate("anyjoint.show(), anyjoint.stage.frame")
            browser.wait(f"anyjoint.stage.frame > {drawn}")
            _save(browser.screenshot(), target)
    return [target for _, target in jobs]


def _jobs(page: Path, picture: Path) -> list[tuple[Path, Path]]:
    """Pairs of page and picture."""
    if page.is_file():
        return [(page, picture)]
    sources = sorted(page.glob("*.html"))
    if not sources:
        raise InputError(f"there is no page {page}; write one with traj.to_html(path)")
    return [(source, picture / f"{source.stem}.png") for source in sources]


def _save(data: bytes, target: Path) -> None:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    except OSError as error:
        raise InputError(f"cannot write the picture {target}: {error.strerror}; give a path that is yours") from error


def size_of(text: str) -> tuple[int, int]:
    """1280x800 as two numbers."""
    width, _, height = text.partition("x")
    if not (width.isdigit() and height.isdigit() and int(width) > 0 and int(height) > 0):
        raise argparse.ArgumentTypeError(f"{text!r} is not a size; write it as 1280x800")
    return int(width), int(height)


def main(arguments: list[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m anyjoint.view.screenshot", description="Save pictures of pages.")
    parser.add_argument("page", type=Path, help="a page, or a folder of pages")
    parser.add_argument("picture", type=Path, help="a .png file, or a folder for them")
    parser.add_argument("--size", type=size_of, default=(1280, 800), help="width x height in CSS pixels")
    parser.add_argument("--scale", type=float, default=1.0, help="device pixels per CSS pixel")
    parser.add_argument("--time", type=float, help="seconds into the motion")
    parser.add_argument("--theme", choices=["light", "dark"])
    parser.add_argument("--lite", action="store_true", help="without shadows and reflections")
    parser.add_argument("--bare", action="store_true", help="without controls, for thumbnails")
    parser.add_argument("--script", help="JavaScript to run first, e.g. 'anyjoint.toggleTrails()'")
    options = vars(parser.parse_args(arguments))
    try:
        for path in screenshot(options.pop("page"), options.pop("picture"), **options):
            print(path)
    except AnyjointError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
