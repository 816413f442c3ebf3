"""MP4 and GIF of a page: the browser draws every frame, ffmpeg joins them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from anyjoint.errors import AnyjointError, InputError
from anyjoint.view.browser import Browser

ENCODERS = {
    ".mp4": ["-c:v", "libx264", "-pix_fmt", "yuv420p", "-crf", "18", "-movflags", "+faststart"],
    ".gif": ["-vf", "split[a][b];[a]palettegen=stats_mode=diff[p];[b][p]paletteuse=dither=bayer:bayer_scale=4"],
}


def find_ffmpeg() -> str:
    """The ffmpeg to use: on the PATH, else the one that comes with imageio-ffmpeg."""
    path = shutil.which("ffmpeg")
    if path:
        return path
    try:
        import imageio_ffmpeg  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        raise AnyjointError(
            "video needs ffmpeg, which was not found; install it, "
            "e.g. `apt-get install ffmpeg` or `pip install imageio-ffmpeg`"
        ) from None
    return str(imageio_ffmpeg.get_ffmpeg_exe())


def write_video(
    page: str | Path,
    video: str | Path,
    *,
    size: tuple[int, int] = (960, 600),
    frame_rate: float = 30.0,
    speed: float = 1.0,
    theme: str | None = None,
    lite: bool = False,
    bare: bool = True,
) -> Path:
    """Film the motion of a page (not of a live one) into an .mp4 or .gif file."""
    target = Path(video)
    if target.suffix.lower() not in ENCODERS:
        raise InputError(f"cannot write a video as {target.name!r}; the file name ends in .mp4 or .gif")
    if not Path(page).is_file():
        raise InputError(f"there is no page {page}; write one with traj.to_html(path)")
    if not (frame_rate > 0 and speed > 0):
        raise InputError(f"frame_rate={frame_rate!r}, speed={speed!r}: both are positive numbers")
    width, height = (side - side % 2 for side in size)  # the encoder wants even sides
    command = [
        find_ffmpeg(),
        "-y",
        "-loglevel",
        "error",
        "-f",
        "image2pipe",
        "-framerate",
        f"{frame_rate:g}",
        "-i",
        "-",
    ]
    command += [*ENCODERS[target.suffix.lower()], str(target)]
    with Browser(width, height) as browser:
        query = f"lite={int(lite)}&play=0&t=0" + ("&bare" if bare else "") + (f"&theme={theme}" if theme else "")
        browser.open(page, query)
        if browser.evaluate("Boolean(anyjoint.scene.live)"):
            raise InputError(f"{page} is a live page without an end; film the page of a trajectory")
        frames = _frames(browser, speed / frame_rate)
        done = subprocess.run(command, input=b"".join(frames), capture_output=True)
    if done.returncode != 0:
        raise AnyjointError(f"ffmpeg could not write {target}: {done.stderr.decode(errors='replace').strip()}")
    return target


def _frames(browser: Browser, step: float) -> list[bytes]:
    """A picture every `step` seconds of the motion."""
    start, end = browser.evaluate("[anyjoint.source.start, anyjoint.source.end]")
    pictures = []
    for k in range(int((end - start) / step + 1e-6) + 1):
        drawn = browser.evaluate(f"anyjoint.seek({start + k * step!r}), anyjoint.stage.frame")
        browser.wait(f"anyjoint.stage.frame > {drawn}")
        pictures.append(browser.screenshot())
    return pictures
