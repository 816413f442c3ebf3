"""Meshes in the colours of their files: by materials, by pictures, and never by what lies elsewhere."""

import numpy as np
import pytest
from PIL import Image

import anyjoint as aj
from anyjoint.mechanism.shapes import Mesh
from anyjoint.view.drawing import drawings
from load.robots import link, robot

CORNERS = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
TWO = CORNERS + "usemtl red\nf 1 3 2\nf 1 2 4\nusemtl blue\nf 1 4 3\nf 2 3 4\n"
MATERIALS = "newmtl red\nKd 1 0 0\nnewmtl blue\nKd 0 0 1\n"


@pytest.fixture
def loaded(tmp_path):
    """Loads a link that shows, and touches with, a mesh; files by name lie in the folder."""

    def load(mesh, color="", scale="", **files):
        for name, content in files.items():
            (tmp_path / name.replace("_", ".")).write_bytes(content if isinstance(content, bytes) else content.encode())
        geometry = f'<geometry><mesh filename="{mesh}" {scale}/></geometry>'
        material = f'<material name="m"><color rgba="{color}"/></material>' if color else ""
        more = f"<visual>{geometry}{material}</visual><collision>{geometry}</collision>"
        (tmp_path / "bot").mkdir(exist_ok=True)
        (tmp_path / "bot.urdf").write_text(robot(link("base", more=more)))
        return aj.load(tmp_path / "bot.urdf")

    return load


def colors(mech):
    """Faces by colour, as pages show them."""
    return {drawing.get("color"): len(drawing["faces"]) for drawing in drawings(mech["base"].shape)}


def test_parts_have_the_colours_of_their_materials(loaded):
    mech = loaded("part.obj", part_obj="mtllib part.mtl\n" + TWO, part_mtl=MATERIALS, color="0 1 0 1")
    assert colors(mech) == {"#ff0000": 2, "#0000ff": 2}
    assert mech["base"].shape.volume == pytest.approx(1 / 6)
    vertices = [drawing["vertices"] for drawing in drawings(mech["base"].shape)]
    assert [len(x) for x in vertices] == [4, 4], "each has its own"


def test_a_mirror_turns_every_part(loaded):
    mech = loaded("part.obj", part_obj="mtllib part.mtl\n" + TWO, part_mtl=MATERIALS, scale='scale="-1 2 2"')
    assert mech["base"].shape.volume == pytest.approx(4 / 6)


DAE = """<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset>{}<up_axis>Y_UP</up_axis></asset><library_geometries><geometry id="g"><mesh><source id="p">
<float_array id="pa" count="12">0 0 0 1 0 0 0 1 0 0 0 1</float_array><technique_common><accessor source="#pa" count="4"
stride="3"><param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/></accessor>
</technique_common></source><vertices id="v"><input semantic="POSITION" source="#p"/></vertices><triangles count="4">
<input semantic="VERTEX" source="#v" offset="0"/><p>0 2 1 0 1 3 1 2 3 0 3 2</p></triangles></mesh></geometry>
</library_geometries><library_visual_scenes><visual_scene id="s"><node id="n"><translate>0 0 2</translate>
<instance_geometry url="#g"/></node></visual_scene></library_visual_scenes><scene><instance_visual_scene url="#s"/>
</scene></COLLADA>"""


@pytest.mark.parametrize(
    ("unit", "metres"),
    [("", 1.0), ('<unit name="inch" meter="0.0254"/>', 0.0254), ("<unit meter='x'/>", 1.0), ('<unit meter="0"/>', 1.0)],
)
def test_a_dae_says_its_unit(loaded, unit, metres):
    """A robot arm in inches was shown 39 times as large."""
    mesh = loaded("part.dae", part_dae=DAE.format(unit))["base"].shape
    low, high = np.min(mesh.vertices, axis=0), np.max(mesh.vertices, axis=0)
    assert (low, high) == (pytest.approx([0, 0, 2 * metres]), pytest.approx([metres, metres, 3 * metres]))


def test_a_picture_gives_colours_to_its_triangles(loaded, tmp_path):
    picture = np.zeros((64, 64, 3), dtype=np.uint8)
    picture[:, :32], picture[:, 32:] = (255, 0, 0), (0, 0, 255)
    Image.fromarray(picture).save(tmp_path / "look.png")
    uv = "vt 0.1 0.1\nvt 0.2 0.1\nvt 0.1 0.2\nvt 0.8 0.8\nvt 0.9 0.8\nvt 0.8 0.9\n"
    faces = "usemtl m\nf 1/1 3/2 2/3\nf 1/1 2/2 4/3\nf 1/4 4/5 3/6\nf 2/4 3/5 4/6\n"
    text = "mtllib part.mtl\n" + CORNERS + uv + faces
    mech = loaded("part.obj", part_obj=text, part_mtl="newmtl m\nKd 1 1 1\nmap_Kd look.png\n")
    assert colors(mech) == {"#ff0000": 2, "#0000ff": 2}


@pytest.mark.parametrize(("library", "told"), [
    ("../secret.mtl", ["part.obj: its colours are not all known: '../secret.mtl' leads out"]),
    ("gone.mtl", ["part.obj: its colours are not all known: there is no file 'gone.mtl'"]),
    ("broken.mtl", []),
])  # fmt: skip
def test_without_its_materials_a_mesh_has_the_colour_of_the_robot(loaded, tmp_path, library, told):
    (tmp_path.parent / "secret.mtl").write_text(MATERIALS)
    mech = loaded("part.obj", part_obj=f"mtllib {library}\n" + TWO, broken_mtl=b"\xff\x00newmtl", color="0 1 0 1")
    assert colors(mech) == {"#00ff00": 4}, "nothing of what lies outside"
    assert mech["base"].shape.volume == pytest.approx(1 / 6)
    assert [w.message[: len(words)] for w, words in zip(mech.source.warnings, told, strict=True)] == told


def test_colours_are_saved(loaded, tmp_path):
    mech = loaded("part.obj", part_obj="mtllib part.mtl\n" + TWO, part_mtl=MATERIALS)
    aj.save(mech, tmp_path / "bot.aj.json")
    saved = aj.load(tmp_path / "bot.aj.json")["base"].shape.colors
    assert saved == mech["base"].shape.colors != ()


@pytest.mark.parametrize("colors", [None, 1, "red", [("red",)], [("red", 0)], [("red", 2)], [("red", 1.0)]])
def test_what_no_colours_are(colors):
    with pytest.raises(aj.AnyjointError, match="a colour and a number of faces, 1 in all"):
        Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]], colors)


def test_faces_without_a_colour_have_that_of_the_mesh():
    corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    mesh = Mesh(corners, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], [("tan", 1)], color="navy", opacity=0.5)
    assert [(x["color"], x["opacity"], len(x["faces"])) for x in drawings(mesh)] == [("tan", 0.5, 1), ("navy", 0.5, 3)]
    with pytest.raises(aj.AnyjointError, match="color 'tam' is not known"):
        Mesh(corners, [[0, 2, 1]], [("tam", 1)])


# -- MJCF --------------------------------------------------------------------------------------------------------

DRESSED = """<mujoco><asset><mesh name="shell" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset><worldbody>
<body name="arm"><joint/>
  <geom type="mesh" mesh="shell" contype="0" conaffinity="0" rgba="1 0 0 1" group="{group}"/>
  <geom name="core" type="capsule" size="0.1 0.2" rgba="0 1 0 {alpha}"/></body>
</worldbody></mujoco>"""


def shown(tmp_path, text):
    (tmp_path / "m.xml").write_text(text)
    mech = aj.load(tmp_path / "m.xml")
    return [x["color"] for x in drawings(mech.bodies[0].shapes)], mech.source.collisions


@pytest.mark.parametrize(
    ("group", "alpha", "colors"),
    [
        (1, 1, ["#ff0000"]),  # a shell that touches nothing: what touches is within
        (4, 1, ["#00ff00"]),  # which MuJoCo's viewer does not show
        (4, 0, []),
    ],
)
def test_a_body_looks_like_its_shell(tmp_path, group, alpha, colors):
    seen, touching = shown(tmp_path, DRESSED.format(group=group, alpha=alpha))
    assert seen == colors
    assert [len(some) for some in touching.values()] == [1]


def test_pictures_of_mujoco(tmp_path):
    """On a mesh by its own coordinates, whose second MuJoCo counts downwards; elsewhere their mean."""
    picture = np.zeros((64, 64, 3), dtype=np.uint8)
    picture[:32], picture[32:] = (255, 0, 0), (0, 0, 255)
    Image.fromarray(picture).save(tmp_path / "look.png")
    high, low = "vt 0.1 0.8\nvt 0.2 0.8\nvt 0.1 0.9\n", "vt 0.1 0.1\nvt 0.2 0.1\nvt 0.1 0.2\n"
    faces = "f 1/1 3/2 2/3\nf 1/1 2/2 4/3\nf 1/1 4/2 3/3\nf 2/4 3/5 4/6\n"
    (tmp_path / "part.obj").write_text(CORNERS + high + low + faces)
    assets = '<texture name="t" type="2d" file="look.png"/><material name="m" texture="t"/><mesh file="part.obj"/>'
    geoms = '<geom type="mesh" mesh="part" material="m"/><geom size="0.1" material="m"/>'
    text = f"<mujoco><asset>{assets}</asset><worldbody><body><joint/>{geoms}</body></worldbody></mujoco>"
    assert shown(tmp_path, text)[0] == ["#ff0000", "#0000ff", "#800080"]
