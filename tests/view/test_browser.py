"""The pages in a real headless Chromium: no network, no console message, and every control does its work."""

import math
import stat

import numpy as np
import pytest

from anyjoint.errors import AnyjointError, InputError
from anyjoint.view import live_page, trajectory_page, variants_page, video
from anyjoint.view.browser import BrowserError, find_browser
from anyjoint.view.screenshot import main, size_of
from tests.view.stand_in import PENDULUM_JS, live_info, swing

pytestmark = pytest.mark.browser
SIZE = (480, 320)  # software rendering: small pictures keep the tests quick


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    trajectory_page(swing(), folder / "run.html")
    live_page(live_info(), PENDULUM_JS, folder / "live.html")
    return folder


@pytest.fixture(scope="module")
def chromium(sized):
    return sized(*SIZE)


@pytest.fixture
def run(chromium, pages):
    chromium.requests.clear()
    chromium.messages.clear()
    chromium.open(pages / "run.html", "play=0")
    return chromium


@pytest.fixture
def live(chromium, pages):
    chromium.requests.clear()
    chromium.messages.clear()
    chromium.open(pages / "live.html", "play=0")
    return chromium


def quiet(browser):
    """Only the page itself was asked for, and nobody complained."""
    return all(address.startswith(("file:", "data:")) for address in browser.requests) and not browser.messages


def test_the_page_draws_and_asks_for_nothing(run):
    assert run.evaluate("anyjoint.stage.lite") is True  # software WebGL was noticed
    assert run.evaluate("document.title") == "Double pendulum"
    pixels = run.evaluate(
        "(() => { anyjoint.stage.invalidate(); anyjoint.stage.render(false, 0);"
        " const gl = anyjoint.stage.renderer.getContext(); const c = anyjoint.stage.renderer.domElement;"
        " const p = new Uint8Array(4 * c.width * c.height);"
        " gl.readPixels(0, 0, c.width, c.height, gl.RGBA, gl.UNSIGNED_BYTE, p);"
        " let n = 0; for (let i = 3; i < p.length; i += 4) n += p[i] === 255; return n; })()"
    )
    assert pixels > 300  # opaque ones are bodies, the floor is transparent
    assert quiet(run), run.messages


def test_it_plays_by_itself_and_on_the_space_bar(run, pages):
    run.open(pages / "run.html")
    run.wait("anyjoint.source.time > 0.2")
    run.press(" ")
    stopped = run.evaluate("anyjoint.source.time")
    assert run.evaluate("anyjoint.source.playing") is False
    run.press("ArrowRight")
    assert run.evaluate("anyjoint.source.time") > stopped
    run.press(" ")
    run.wait(f"anyjoint.source.time > {stopped} + 0.2 || anyjoint.source.time < {stopped}")
    assert quiet(run), run.messages


def test_scrubbing_shows_the_pose_of_that_time(run):
    motion = swing()
    for index in (0, 100, 333):
        run.evaluate(f"anyjoint.bar.scrub.value = {float(motion.t[index])!r}")
        run.evaluate("anyjoint.bar.scrub.dispatchEvent(new Event('input'))")
        seen = np.reshape(run.evaluate("[...anyjoint.source.poses()]"), (2, 3, 4))
        expected = motion.model.body_poses(motion.q[index : index + 1])[0, :, :3]
        # The page keeps 60 frames per second and blends between them.
        assert np.abs(seen - expected).max() < 2e-3
    assert quiet(run), run.messages


def test_a_slider_chooses_among_several_motions(chromium, tmp_path):
    chromium.requests.clear()
    chromium.messages.clear()
    runs = [(f"{k} of 2", 10.0 ** (1 - k), swing(duration=2.0 + k)) for k in range(3)]
    chromium.open(variants_page(runs, tmp_path / "variants.html"), "play=0")
    assert chromium.evaluate("anyjoint.source.variant") == 2  # the last one, of four seconds
    chromium.press("End")
    assert chromium.evaluate("anyjoint.source.time") == pytest.approx(4.0)
    slide = "(() => { const i = anyjoint.choice.slider.input; i.value = 0; i.dispatchEvent(new Event('input')); })()"
    chromium.evaluate(slide)
    assert chromium.evaluate("[anyjoint.source.variant, anyjoint.source.end, anyjoint.source.time]") == [0, 2, 2]
    assert chromium.evaluate("anyjoint.choice.value.textContent") == "10"
    assert chromium.evaluate("anyjoint.choice.card.textContent").startswith("Iteration0 of 2cost")
    assert chromium.evaluate("Number(anyjoint.bar.scrub.max)") == 2
    chromium.press("PageDown")
    assert chromium.evaluate("[anyjoint.source.variant, anyjoint.choice.slider.input.value]") == [1, "1"]
    seen = np.reshape(chromium.evaluate("[...anyjoint.source.poses()]"), (2, 3, 4))
    motion = swing(duration=3.0)
    assert np.abs(seen - motion.model.body_poses(motion.q[200:201])[0, :, :3]).max() < 1e-2  # 30 frames a second
    chromium.resize(800, 600)  # smaller windows have no room for the curve
    chromium.wait("anyjoint.choice.canvas.clientHeight > 0")
    box = "anyjoint.choice.canvas.getBoundingClientRect()"
    right, top = chromium.evaluate(f"[{box}.right, {box}.top]")
    for kind in ("mousePressed", "mouseReleased"):  # a click on the curve
        chromium.mouse(kind, right - 6, top + 9)
    assert chromium.evaluate("anyjoint.source.variant") == 2
    chromium.resize(*SIZE)
    assert quiet(chromium), chromium.messages


def test_every_key_of_the_help_works(run):
    toggles = {
        "t": "anyjoint.trails.group.visible",
        "x": "anyjoint.frames.mesh.visible",
        "l": "anyjoint.source.loop",
        "e": "anyjoint.energy.card.hidden",
        "d": "anyjoint.dark",
        "i": "document.getElementById('info').hidden",
        "h": "document.getElementById('help').hidden",
        "f": "anyjoint.followed >= 0",
    }
    for key, state in toggles.items():
        before = run.evaluate(state)
        run.press(key)
        assert run.evaluate(state) != before, key
    run.press("Escape")
    assert run.evaluate("document.getElementById('help').hidden") is True
    run.press("End")
    assert run.evaluate("anyjoint.source.time === anyjoint.source.end")
    run.press("Home")
    assert run.evaluate("anyjoint.source.time === anyjoint.source.start")
    run.press("ArrowUp")
    assert run.evaluate("anyjoint.source.speed") == 2
    run.press("ArrowDown")
    run.press("ArrowDown")
    assert run.evaluate("anyjoint.source.speed") == 0.5
    run.press("r")
    assert run.evaluate("anyjoint.followed") == -1
    assert quiet(run), run.messages


def test_it_fits_a_phone(chromium, pages):
    chromium.resize(390, 720, mobile=True)
    try:
        chromium.open(pages / "run.html", "play=0")
        inside = (
            "[...document.querySelectorAll('.card:not([hidden])')].every(c => { const r = c.getBoundingClientRect();"
            " return r.left >= 0 && r.right <= innerWidth && r.top >= 0 && r.bottom <= innerHeight; })"
        )
        assert chromium.evaluate(inside)
        assert chromium.evaluate("document.documentElement.scrollWidth <= innerWidth")
    finally:
        chromium.resize(*SIZE)


def test_the_live_page_integrates_like_python(live):
    theta, omega, h = 2.0, 0.0, 1e-3

    def rate(y):
        return np.array([y[1], -9.81 * math.sin(y[0])])

    y = np.array([theta, omega])
    for _ in range(100):
        k1 = rate(y)
        k2 = rate(y + h / 2 * k1)
        k3 = rate(y + h / 2 * k2)
        k4 = rate(y + h * k3)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    live.evaluate("anyjoint.source.advance(100)")
    seen = live.evaluate("[anyjoint.source.motion.q[0], anyjoint.source.motion.v[0]]")
    assert np.allclose(seen, y, rtol=0, atol=1e-12)
    assert abs(live.evaluate("anyjoint.source.drift()")) < 1e-9
    assert quiet(live), live.messages


def test_the_live_page_runs_and_its_sliders_work(live):
    live.press(" ")
    live.wait("anyjoint.source.time > 0.1")
    live.press(" ")
    live.press("Backspace")
    assert live.evaluate("anyjoint.source.time") == 0
    sliders = "[...document.querySelectorAll('.live input')]"
    move = "(() => { const s = %s[%d]; s.value = %r; s.dispatchEvent(new Event('input')); })()"
    live.evaluate(move % (sliders, 0, 3.7))
    assert live.evaluate("anyjoint.source.motion.gravity[2]") == pytest.approx(-3.7)
    live.evaluate(move % (sliders, 1, 1.0))
    assert live.evaluate("anyjoint.source.motion.damping") > 0
    live.evaluate(move % (sliders, 4, 0.5))
    assert live.evaluate("anyjoint.source.motion.q[0]") == pytest.approx(0.5)
    live.evaluate("anyjoint.source.advance(500)")
    start, end = live.evaluate(
        "[anyjoint.source.reference, (() => { const [t, v] = anyjoint.source.motion.energy(); return t + v; })()]"
    )
    assert end < start  # damping takes energy away
    assert quiet(live), live.messages


def test_many_sliders_scroll_and_leave_the_buttons_their_room(live):
    many = (
        "(() => { const card = document.querySelector('.live'), sliders = card.querySelector('.sliders');"
        " sliders.hidden = false; const one = sliders.querySelector('.slider');"
        " for (let k = 0; k < 60; k++) sliders.append(one.cloneNode(true));"
        " const row = card.querySelector('.row'), play = row.firstChild.getBoundingClientRect();"
        " return [row.offsetHeight, play.height, sliders.scrollHeight > sliders.clientHeight]; })()"
    )
    row, button, scrolls = live.evaluate(many)
    assert row >= button
    assert scrolls


def test_a_body_can_be_pulled_with_the_mouse(live):
    x, y = live.evaluate(
        "(() => { const g = anyjoint.bodies.groups[0]; "
        " const p = g.children[0].getWorldPosition(anyjoint.stage.camera.position.clone());"
        " p.project(anyjoint.stage.camera); return [(p.x + 1) / 2 * innerWidth, (1 - p.y) / 2 * innerHeight]; })()"
    )
    live.mouse("mousePressed", x, y)
    assert live.evaluate("anyjoint.pull.grab.body") == 0
    before = live.evaluate("anyjoint.source.motion.v[0]")
    live.mouse("mouseMoved", x, y - 60)
    live.evaluate("anyjoint.source.motion.gravity.fill(0), anyjoint.source.advance(20)")
    assert abs(live.evaluate("anyjoint.source.motion.v[0]") - before) > 1e-3
    live.mouse("mouseReleased", x, y - 60)
    assert live.evaluate("anyjoint.pull.grab === null && anyjoint.source.motion.wrenches === null")
    assert quiet(live), live.messages


def test_a_motion_that_blows_up_stops_with_a_sentence(live):
    live.evaluate("anyjoint.source.motion.v[0] = Infinity, anyjoint.source.advance(50), anyjoint.show()")
    assert "blew up" in live.evaluate("document.querySelector('.trouble').textContent")
    live.press("Backspace")
    assert live.evaluate("document.querySelector('.trouble').hidden") is True


def test_the_screenshot_command(pages, tmp_path, capsys):
    picture = tmp_path / "out.png"
    assert main([str(pages / "run.html"), str(picture), "--size", "320x200", "--time", "1", "--lite", "--bare"]) == 0
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert main([str(pages), str(tmp_path / "all"), "--size", "160x100", "--lite"]) == 0
    assert {path.name for path in (tmp_path / "all").iterdir()} == {"run.png", "live.png"}
    assert main([str(pages / "missing.html"), str(picture)]) == 1
    assert "there is no page" in capsys.readouterr().err
    assert size_of("640x480") == (640, 480)


@pytest.mark.slow
def test_a_video_is_one_picture_after_the_other(pages, tmp_path, monkeypatch):
    fake = tmp_path / "ffmpeg"  # keeps what it is given: joining pictures is ffmpeg's business, not ours
    fake.write_text('#!/bin/sh\nfor last; do :; done\ncat > "$last"\n')
    fake.chmod(fake.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setattr(video, "find_ffmpeg", lambda: str(fake))
    film = video.write_video(pages / "run.html", tmp_path / "run.mp4", size=(160, 100), frame_rate=1, lite=True)
    assert film.read_bytes().count(b"\x89PNG\r\n") == 5  # 4 seconds, both ends
    with pytest.raises(InputError, match="live page"):
        video.write_video(pages / "live.html", tmp_path / "live.mp4", size=(160, 100), lite=True)


def test_missing_tools_and_wrong_names_are_explained(pages, tmp_path, monkeypatch):
    with pytest.raises(InputError, match=r"ends in \.mp4 or \.gif"):
        video.write_video(pages / "run.html", tmp_path / "run.avi")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setitem(__import__("sys").modules, "imageio_ffmpeg", None)
    with pytest.raises(AnyjointError, match="video needs ffmpeg"):
        video.find_ffmpeg()
    with pytest.raises(BrowserError, match="no browser was found"):
        find_browser()
