"""What pages promise, in a real browser: they fill the picture, they survive, and anybody can use them."""

import importlib.util
from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from anyjoint import shapes
from anyjoint.joints import Prismatic
from anyjoint.mechanism import Inertia, Mechanism
from anyjoint.spatial import Pose
from anyjoint.view import live_page, model_page, trajectory_page
from anyjoint.view.contact import contact_points
from tests.mechanism.linking import neighbours
from tests.view.stand_in import PENDULUM_JS, FloatModel, Run, live_info, swing

pytestmark = pytest.mark.browser
EXAMPLES = sorted((Path(__file__).resolve().parents[2] / "examples").glob("*.py"))
PHONE = (375, 812)


def example(path):
    spec = importlib.util.spec_from_file_location(f"page_of_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@cache
def run_of(path):
    """The run of an example; steps of the largest one may be coarser, they only have to look right."""
    module = example(path)
    mech = module.build()
    dt = 2e-3 if mech.nb > 100 else module.DT
    return mech.compile().simulate(*mech.start, duration=module.DURATION, dt=dt, method=module.METHOD)


# Tall, wide, flat, standing, many, alone; drawing the whole gallery in software takes minutes.
SOME = {
    "ball_in_bowl", "double_pendulum", "furuta_pendulum", "torus_chain",
}  # fmt: skip


@pytest.fixture(scope="module", params=["some", pytest.param("all", marks=pytest.mark.slow)])
def gallery(request, tmp_path_factory):
    """Pages of the gallery."""
    folder = tmp_path_factory.mktemp("gallery")
    for path in EXAMPLES:
        if request.param == "all" or path.stem in SOME:
            trajectory_page(run_of(path), folder / f"{path.stem}.html")
    return folder


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    run = swing()
    run.model.mechanism.description = "Two hinges, and chaos.\n\nMore of it."
    trajectory_page(run, folder / "run.html")
    live_page(live_info(description="One hinge."), PENDULUM_JS, folder / "live.html")
    return folder


@pytest.fixture(scope="module")
def chromium(sized):
    return sized(480, 320)


@pytest.fixture(params=["run", "live"])
def page(request, chromium, pages):
    chromium.messages.clear()
    chromium.open(pages / f"{request.param}.html", "play=0")
    return chromium


# -- the picture ------------------------------------------------------------------------------------------------------

# Boxes of all shapes in the picture, 0 to 1 each way, joined over a whole run; and the floor under what stands still.
SEEN = """(() => {
  const v = anyjoint, { camera, root } = v.stage, V = camera.position.constructor;
  const seen = { left: 1, top: 1, right: 0, bottom: 0, lowest: Infinity };
  const grow = (group) => group.children.forEach((mesh) => {
    if (!mesh.geometry.boundingBox) mesh.geometry.computeBoundingBox();
    const ends = [mesh.geometry.boundingBox.min, mesh.geometry.boundingBox.max];
    for (let k = 0; k < 8; k++) {
      const p = new V(ends[k & 1].x, ends[(k >> 1) & 1].y, ends[k >> 2].z);
      p.applyMatrix4(mesh.matrix).applyMatrix4(group.matrix).applyQuaternion(root.quaternion);
      if (group === v.bodies.fixed) seen.lowest = Math.min(seen.lowest, p.z);
      p.project(camera);
      const [x, y] = [(p.x + 1) / 2, (1 - p.y) / 2];
      seen.left = Math.min(seen.left, Math.max(0, x)); seen.right = Math.max(seen.right, Math.min(1, x));
      seen.top = Math.min(seen.top, Math.max(0, y)); seen.bottom = Math.max(seen.bottom, Math.min(1, y));
    }
  });
  grow(v.bodies.fixed);
  v.source.survey((rows) => { v.bodies.setPoses(rows); v.bodies.groups.forEach(grow); });
  v.show();
  return { ...seen, floor: v.stage.ground.group.position.z, size: v.size };
})()"""
STANDING = {"furuta_pendulum", "lagrange_top", "roller_coaster", "windmill", "ball_in_bowl", "contact_patches"}


RATIO = """((a, b) => {
  const part = (c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
  const light = ([r, g, b]) => 0.2126 * part(r / 255) + 0.7152 * part(g / 255) + 0.0722 * part(b / 255);
  const [low, high] = [light(a), light(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
})"""
# The smallest contrast of any shape against any colour of the sky, and the first colour in the light theme.
COLOURS = f"""(() => {{
  const ratio = {RATIO};
  anyjoint.setTheme(true);
  const stops = getComputedStyle(document.body).backgroundImage.match(/rgb\\([^)]*\\)/g);
  const sky = stops.map((c) => c.match(/\\d+/g).map(Number));
  let worst = 99;
  for (const group of [...anyjoint.bodies.groups, anyjoint.bodies.fixed]) for (const mesh of group.children) {{
    const c = mesh.material.color.getHex();
    for (const s of sky) worst = Math.min(worst, ratio([c >> 16, (c >> 8) & 255, c & 255], s));
  }}
  anyjoint.setTheme(false);
  const {{ shapes, color }} = anyjoint.scene.bodies[0];
  return {{ worst, light: anyjoint.bodies.colorOf(0), wanted: shapes[0].color ?? color, skies: sky.length }};
}})()"""


@pytest.fixture(scope="module")
def seen(gallery, chromium):
    """What there is to see on every page of the gallery, at the size of a desktop."""
    chromium.resize(1280, 800, scale=0.25)  # large pixels are drawn sooner
    found = {}
    for path in sorted(gallery.glob("*.html")):
        chromium.open(path, "play=0&lite=1")
        idea = chromium.evaluate("document.querySelector('.title .idea').textContent")
        found[path.stem] = chromium.evaluate(SEEN) | {"idea": idea, "colours": chromium.evaluate(COLOURS)}
    chromium.resize(480, 320)
    return found


def test_motions_fill_the_picture(seen):
    shares = {k: (s["right"] - s["left"]) * (s["bottom"] - s["top"]) for k, s in seen.items()}
    assert np.mean(list(shares.values())) >= 0.35, shares  # 0.48 over the whole gallery
    for name, s in seen.items():  # the narrow ones at least reach from top to bottom, or from side to side
        assert max(s["right"] - s["left"], s["bottom"] - s["top"]) >= 0.6, name


def test_columns_and_masts_stand_on_the_floor(seen):
    for name in STANDING & seen.keys():
        assert abs(seen[name]["lowest"] - seen[name]["floor"]) < 0.02 * seen[name]["size"], name


@pytest.mark.slow
def test_the_page_of_a_thousand_links_is_small(tmp_path):
    page = tmp_path / "chain_of_1000_links.html"
    trajectory_page(run_of(next(path for path in EXAMPLES if path.stem == page.stem)), page)
    assert page.stat().st_size < 2_000_000


def test_the_page_shows_the_poses_of_the_run(chromium, gallery):
    """The longest way of numbers: quantised, deflated, unpacked in the page."""
    traj = run_of(next(p for p in EXAMPLES if p.stem == "torus_chain"))
    chromium.open(gallery / "torus_chain.html", "play=0&lite=1")
    times = np.array(chromium.evaluate("[...anyjoint.scene.times]"))
    poses = traj.model.body_poses(traj.q)
    extent = np.ptp(poses[..., :3, 3], axis=(0, 1)).max()
    for k in (0, 77, len(times) - 1):
        flat = chromium.evaluate(f"anyjoint.seek(anyjoint.scene.times[{k}]), [...anyjoint.source.poses()]")
        rows = np.reshape(flat, (-1, 3, 4))
        expected = poses[np.argmin(np.abs(traj.t - times[k]))]
        # Half a step of 16 bits, and the page's single precision; 1.3e-4 rad moves an entry of a rotation by as much.
        assert np.abs(rows[..., 3] - expected[:, :3, 3]).max() < extent / 131070 * 1.05
        assert np.abs(rows[..., :3] - expected[:, :3, :3]).max() < 1.3e-4


def test_each_page_says_its_idea(seen):
    for name, s in seen.items():
        assert 15 < len(s["idea"]) < 130, name
        assert s["idea"].endswith("."), name


def test_every_body_stands_out_from_the_dark_sky(seen):
    """3 to 1, the least that WCAG 2.1 asks of graphics, against every colour of the sky; in light nothing changes."""
    for name, s in seen.items():
        assert s["colours"]["worst"] >= 3, name
        assert s["colours"]["skies"] >= 3
        assert s["colours"]["light"] == s["colours"]["wanted"], name


PIXELS = """(() => {
  anyjoint.stage.invalidate(); anyjoint.stage.render(false, 0);
  const gl = anyjoint.stage.renderer.getContext(); const c = anyjoint.stage.renderer.domElement;
  const p = new Uint8Array(4 * c.width * c.height);
  gl.readPixels(0, 0, c.width, c.height, gl.RGBA, gl.UNSIGNED_BYTE, p);
  return p;
})()"""


def ball_over_sheet():
    """A ball above a sheet that one sees through."""
    mech = Mechanism("ball over sheet")
    corners = [(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)]
    mech.draw(shapes.Mesh(corners, [(0, 1, 2), (0, 2, 3)], color="#8fb8de", opacity=0.35))
    ball = shapes.Sphere(0.25, color="#e4572e", pose=Pose.translation(0, 0, 0.5))
    mech.add_body("ball", None, Prismatic((0, 0, 1)), None, Inertia.sphere(1.0, 0.25), ball)
    t = np.linspace(0, 1, 5)
    return Run(FloatModel(mech), t, np.zeros((5, 1)), np.zeros((5, 1)))


@pytest.mark.slow
def test_shadows_fall_on_what_is_seen_through(chromium, tmp_path):
    chromium.resize(160, 120)  # shadows in software are slow
    chromium.open(trajectory_page(ball_over_sheet(), tmp_path / "sheet.html"), "play=0&lite=0&bare")
    sums = [
        chromium.evaluate(
            f"(anyjoint.stage.ground.shade.visible = false, anyjoint.bodies.groups[0].children[0].castShadow = {cast},"
            f" {PIXELS}.reduce((sum, x, i) => sum + (i % 4 === 3 ? x : 0), 0))"
        )
        for cast in ("true", "false")
    ]
    chromium.resize(480, 320)
    assert sums[0] > 1.01 * sums[1]  # a shadow covers what was transparent


@pytest.mark.parametrize("mode", ["lite=1", pytest.param("lite=0", marks=pytest.mark.slow)])
def test_the_picture_comes_back_with_the_graphics_card(chromium, pages, mode):
    chromium.messages.clear()
    chromium.resize(160, 120)
    chromium.open(pages / "run.html", f"play=0&bare&{mode}")
    opaque = f"((p) => p.filter((x, i) => i % 4 === 3 && x === 255).length / p.length)({PIXELS})"
    before = chromium.evaluate(opaque)
    card = "anyjoint.stage.renderer.getContext().getExtension('WEBGL_lose_context')"
    chromium.evaluate(f"window.card = {card}, card.loseContext()")
    chromium.wait("!anyjoint.notice.hidden")
    drawn = chromium.evaluate("card.restoreContext(), anyjoint.stage.frame")
    chromium.wait(f"anyjoint.notice.hidden && anyjoint.stage.frame > {drawn}")
    assert before > 0.002  # of all bytes: opaque pixels are bodies, the floor is transparent
    assert chromium.evaluate(opaque) == pytest.approx(before, rel=0.2)  # the size of a pixel may have been adapted
    assert all("context" in text.lower() for text in chromium.messages)  # three.js says that it was lost and restored
    chromium.resize(480, 320)


def camera(browser):
    return browser.evaluate(
        "[...anyjoint.stage.camera.position.toArray(), ...anyjoint.stage.controls.target.toArray()]"
    )


def test_the_whole_view_is_the_same_every_time(page):
    home = camera(page)
    page.mouse("mousePressed", 20, 160)
    for x in (60, 140, 220):
        page.mouse("mouseMoved", x, 120)
    assert not np.allclose(camera(page), home)
    page.press("r")  # while the swing of the drag is not spent
    page.mouse("mouseReleased", 220, 120)
    page.press("r")
    for _ in range(3):
        drawn = page.evaluate("anyjoint.show(), anyjoint.stage.frame")
        page.wait(f"anyjoint.stage.frame > {drawn}")
        assert np.allclose(camera(page), home, rtol=1e-9, atol=1e-9)
        page.press("r")


@pytest.mark.slow
def test_trails_give_back_what_they_take(chromium, gallery):
    chromium.open(gallery / "torus_chain.html", "play=0&lite=1&t=1")
    count = "(anyjoint.show(), anyjoint.stage.render(false, 0), anyjoint.stage.renderer.info.memory.geometries)"
    chromium.evaluate("anyjoint.toggleTrails(), anyjoint.select(0)")
    before = chromium.evaluate(count)
    for body in (*range(12), 0):
        chromium.evaluate(f"anyjoint.select({body}), anyjoint.seek({0.2 * body})")
        chromium.evaluate(count)
    assert chromium.evaluate(count) == before


# -- live pages -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def live_chain(tmp_path_factory):
    """The live page of the torus chain as `anyjoint export torus-chain --to html` writes it."""
    module = example(next(p for p in EXAMPLES if p.stem == "torus_chain"))
    mech = module.build()
    return mech, model_page(mech.compile(), tmp_path_factory.mktemp("live") / "chain.html", dt=module.DT)


@pytest.mark.slow
def test_live_chains_stay_linked(chromium, live_chain):
    mech, path = live_chain
    chromium.open(path, "play=0&lite=1")
    frames = [chromium.evaluate("anyjoint.source.advance(50), [...anyjoint.source.poses()]") for _ in range(200)]
    poses = np.zeros((200, mech.nb, 4, 4))
    poses[:, :, :3] = np.reshape(frames, (200, mech.nb, 3, 4))
    poses[:, :, 3, 3] = 1
    links = neighbours(mech, poses)
    assert (np.abs(links) == 1).all()
    assert (links == links[0]).all()


def test_live_pages_show_contact_points(chromium, live_chain):
    mech, path = live_chain
    chromium.messages.clear()
    chromium.open(path, "play=0&lite=1")
    chromium.press("c")
    assert chromium.evaluate("anyjoint.contacts.mesh.visible && anyjoint.contacts.mesh.count") == mech.nb
    seen = np.reshape(chromium.evaluate("[...anyjoint.source.contactPoints()]"), (-1, 3))
    q = mech.start[0][None]
    assert np.abs(seen - contact_points(mech, q, FloatModel(mech).body_poses(q))[0]).max() < 1e-12
    assert not chromium.messages


def test_read_outs_fit_their_card(chromium, pages):
    chromium.open(pages / "live.html", "play=0")
    for ratio, speed in ((1, 1), (1, 0.0625), (0.001, 0.0625), (1, 4), (0.123, 0.25)):
        chromium.evaluate(f"anyjoint.source.ratio = {ratio}, anyjoint.source.speed = {speed}, anyjoint.bar.update()")
        inside = (
            "[...document.querySelectorAll('.readout b')].every((b) => { const r = b.getBoundingClientRect();"
            " const c = document.querySelector('.live').getBoundingClientRect();"
            " return b.scrollWidth <= b.clientWidth && r.left > c.left && r.right < c.right; })"
        )
        assert chromium.evaluate(inside), (ratio, speed)


# -- keys, layout, access ---------------------------------------------------------------------------------------------


def test_keys_go_to_what_has_the_focus(page):
    page.evaluate("anyjoint.tools.trails.focus()")
    page.press(" ")
    assert page.evaluate("[anyjoint.trails.group.visible, anyjoint.source.playing]") == [True, False]
    page.press("Enter")
    assert page.evaluate("anyjoint.trails.group.visible") is False
    page.evaluate("document.querySelector('input[type=range]').focus()")
    before = page.evaluate("[document.activeElement.value, anyjoint.source.time]")
    page.press("ArrowRight")
    after = page.evaluate("[document.activeElement.value, anyjoint.source.time]")
    assert float(after[0]) > float(before[0])
    assert page.evaluate("Boolean(anyjoint.scene.live)") is False or after[1] == before[1]
    page.press(" ")  # a slider has no use for Space
    assert page.evaluate("anyjoint.source.playing") is True


def test_a_click_leaves_the_keys_to_the_page(page):
    x, y = page.evaluate("(({ x, y }) => [x + 9, y + 9])(anyjoint.tools.trails.getBoundingClientRect())")
    page.mouse("mousePressed", x, y)
    page.mouse("mouseReleased", x, y)
    assert page.evaluate("anyjoint.trails.group.visible") is True
    page.press(" ")
    assert page.evaluate("[anyjoint.trails.group.visible, anyjoint.source.playing]") == [True, True]


BOXES = """(() => [...document.querySelectorAll('.title, .card')].filter((e) => e.offsetWidth && !e.hidden)
  .map((e) => { const r = e.getBoundingClientRect(); return [e.className, r.left, r.top, r.right, r.bottom]; }))()"""


@pytest.mark.parametrize("name", ["run", "live"])
@pytest.mark.parametrize("sizes", [[PHONE, (320, 568), (667, 375)], [(768, 1024), (1024, 700), (1280, 800)]])
def test_nothing_overlaps_at_any_size(chromium, pages, name, sizes):
    """Of phones, and of larger windows: a page that was opened at one size is right at the others, too."""
    mobile = sizes[0] == PHONE
    try:
        chromium.resize(*sizes[0], scale=0.5, mobile=mobile)
        chromium.open(pages / f"{name}.html", "play=0&lite=1")
        chromium.evaluate("anyjoint.energy.card.hidden && anyjoint.toggleEnergy()")
        chromium.evaluate("anyjoint.scene.live && anyjoint.bar.fold(false)")
        for size in sizes:
            chromium.resize(*size, scale=0.5, mobile=mobile)
            chromium.wait(f"innerWidth === {size[0]} && innerHeight === {size[1]}")
            apart_and_inside(chromium, *size)
    finally:
        chromium.resize(480, 320)


def apart_and_inside(browser, width, height):
    """Cards and the title lie beside each other and in the window, and nothing in them is cut off."""
    boxes = browser.evaluate(BOXES)
    assert len(boxes) == 4
    for what, left, top, right, bottom in boxes:
        assert left >= 0 and top >= 0 and right <= width and bottom <= height, what  # noqa: PT018
    for a, b in combinations(boxes, 2):
        apart = a[3] <= b[1] or b[3] <= a[1] or a[4] <= b[2] or b[4] <= a[2]
        assert apart, (a, b)
    assert browser.evaluate("document.documentElement.scrollWidth <= innerWidth")
    long = "(c) => { c.textContent = '12.34 / 20.00 s'; return c.scrollWidth <= c.clientWidth; }"
    assert browser.evaluate(f"[...document.querySelectorAll('.clock')].every({long})")


def test_everything_has_a_name_and_a_state(page):
    nameless = page.evaluate(
        "[...document.querySelectorAll('button, input, select, canvas, nav, [role=dialog]')]"
        ".filter((e) => !(e.getAttribute('aria-label') || e.textContent.trim())).map((e) => e.outerHTML)"
    )
    assert nameless == []
    toggles = {"t": "trails", "x": "frames", "f": "follow", "e": "energy", "i": "info", "h": "help", "d": "theme"}
    for key, name in toggles.items():
        before = page.evaluate(f"anyjoint.tools.{name}.ariaPressed")
        page.press(key)
        after = page.evaluate(f"anyjoint.tools.{name}.ariaPressed")
        assert {before, after} == {"true", "false"}, name
    play = "document.querySelector('.primary').ariaLabel"
    assert page.evaluate(play) == "Play"
    page.press(" ")
    assert page.evaluate(play) == "Pause"
    assert page.evaluate("document.querySelector('main canvas').ariaLabel").count(".") >= 2  # title, idea, size


def test_who_asked_for_less_motion_gets_less(chromium, pages):
    wish = [{"name": "prefers-reduced-motion", "value": "reduce"}]
    chromium.call("Emulation.setEmulatedMedia", features=wish)
    try:
        for name in ("run", "live"):
            chromium.open(pages / f"{name}.html")
            moves = chromium.evaluate("[anyjoint.source.playing, anyjoint.stage.controls.enableDamping]")
            assert moves == [False, False]
            duration = "getComputedStyle(document.querySelector('.round')).transitionDuration"
            assert chromium.evaluate(duration) in ("0s", "")
            chromium.press(" ")
            assert chromium.evaluate("anyjoint.source.playing") is True
    finally:
        chromium.call("Emulation.setEmulatedMedia", features=[])
