"""Files that come from anywhere: formats by content, attacks refused, nothing opened outside of a model's folders."""

import importlib
import os
import struct
import subprocess
import sys

import numpy as np
import pytest

import anyjoint as aj
from anyjoint.load import markup
from anyjoint.load.meshes import read_triangles
from anyjoint.load.paths import PathRefused, Paths
from load.robots import LIMIT, joint, link, robot

TETRAHEDRON = np.array([[[0, 0, 0], [0, 1, 0], [1, 0, 0]], [[0, 0, 0], [1, 0, 0], [0, 0, 1]],
                        [[0, 0, 0], [0, 0, 1], [0, 1, 0]], [[1, 0, 0], [0, 1, 0], [0, 0, 1]]], dtype="<f4")  # fmt: skip


def stl(triangles=TETRAHEDRON, count=None):
    body = b"".join(struct.pack("<3f", 0, 0, 0) + t.tobytes() + b"\0\0" for t in triangles)
    return b"\0" * 80 + struct.pack("<I", len(triangles) if count is None else count) + body


def meshed(reference, scale=""):
    return robot(link("base", more=f'<visual><geometry><mesh filename="{reference}" {scale}/></geometry></visual>'))


@pytest.fixture
def package(tmp_path):
    """bot/urdf/bot.urdf beside bot/meshes/part.stl, a package, and a secret outside of it."""
    for folder in ("bot/urdf", "bot/meshes", "other"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "bot/package.xml").write_text("<package/>")
    (tmp_path / "bot/meshes/part.stl").write_bytes(stl())
    (tmp_path / "other/secret.stl").write_bytes(stl())
    return tmp_path


def load(package, text, **options):
    path = package / "bot/urdf/bot.urdf"
    path.write_text(text)
    return aj.load(path, **options)


# -- what a file is ------------------------------------------------------------------------------------------


def test_the_content_says_what_it_is(tmp_path):
    (tmp_path / "model.txt").write_text(robot(link("base")))
    assert aj.load(tmp_path / "model.txt").source.format == "URDF"
    assert aj.load(str(tmp_path / "model.txt")).nb == 1


def test_utf16_and_a_byte_order_mark(tmp_path):
    text = robot(link("Gelenk ä")).replace('<?xml version="1.0"?>\n', "")
    for encoding in ("utf-16", "utf-8-sig"):
        (tmp_path / "bot.urdf").write_bytes(text.encode(encoding))
        assert aj.load(tmp_path / "bot.urdf").bodies[0].name == "Gelenk ä"


@pytest.mark.parametrize("said", [b"", b'\n<?xml version="1.0" encoding="UTF-8"?>\n'])
def test_bytes_of_windows(tmp_path, said):
    """As OpenSim reads them; what is UTF-8 beside them stays."""
    text = said + b'<robot name="arm">\n<!-- 829\x96840 \x81 -->\n<link name="\x93a\x94"/>\n<link name="a\xcc\x88"/>\n'
    text += b'<joint name="j" type="fixed"><parent link="\x93a\x94"/><child link="a\xcc\x88"/></joint></robot>'
    (tmp_path / "bot.urdf").write_bytes(text)
    line = 2 + said.count(b"\n")
    with pytest.raises(aj.ModelError, match=rf':{line}: the byte 0x96 is no UTF-8; .*allow={{"encoding"}}.*\[enco'):
        aj.load(tmp_path / "bot.urdf")
    mech = aj.load(tmp_path / "bot.urdf", allow={"encoding", "inertia"})
    assert [body.name for body in mech.bodies] == ["\u201ca\u201d", "a\u0308"]
    assert [x.where for x in mech.source.warnings if x.rule == "encoding"] == [f"{tmp_path / 'bot.urdf'}:{line}"]


@pytest.mark.parametrize(("content", "words"), [
    (b"", "no model that can be read"),
    (b"hello", "no model that can be read"),
    (b"<html/>", "<html> is no model that is known"),
    (b"<robot", "it is no XML"),
    (b'<OpenSimDocument Version="40000">\n<Model name="w"/></OpenSimDocument>', ":2: <Model> has no <Body> beside"),
    (b'{"anyjoint": 1, "name": "w", "bodies": []}', ':1: there are no "bodies"'),
    (b'<?xml version="1.0" encoding="nonsense"?><robot/>', "it is no XML"),
    (b"<robot>\n<link name='\xe9'/></robot>", ":2: the byte 0xe9 is no UTF-8; save the file as such"),
    ("<robot".encode("utf-16"), ":1: it is no XML that can be read: unclosed token"),
    (b"<robot>" + b"<a>" * 500, "more than 200 deep"),
    (b'<!DOCTYPE r [<!ENTITY x "y">]><robot name="&x;"/>', "DOCTYPE"),
    (b'<!DOCTYPE r SYSTEM "file:///etc/passwd"><robot/>', "DOCTYPE"),
])  # fmt: skip
def test_what_is_no_model(tmp_path, content, words):
    (tmp_path / "bot.urdf").write_bytes(content)
    with pytest.raises(aj.ModelError, match=words) as caught:
        aj.load(tmp_path / "bot.urdf")
    assert f"{tmp_path / 'bot.urdf'}:" in str(caught.value)


def test_sizes_are_capped(tmp_path, monkeypatch):
    monkeypatch.setattr(markup, "MOST_ELEMENTS", 10)
    with pytest.raises(aj.ModelError, match="more than 10 elements"):
        markup.parse(b"<a>" + b"<b/>" * 20 + b"</a>", "x")
    monkeypatch.setattr(markup, "MOST_TEXT", 10)
    with pytest.raises(aj.ModelError, match="attribute of more than 10 characters"):
        markup.parse(b"<a b='01234567890'/>", "x")
    monkeypatch.setattr(markup, "MOST_BYTES", 3)
    with pytest.raises(aj.ModelError, match="at most 3 are read"):
        markup.parse(b"<a/>", "x")
    with (tmp_path / "huge.urdf").open("wb") as file:
        file.truncate(1 << 40)  # sparse: it takes no place
    with pytest.raises(aj.InputError, match=r"at most .* are read"):
        aj.load(tmp_path / "huge.urdf")



def test_very_many_problems_are_counted(tmp_path):
    (tmp_path / "bot.urdf").write_text(robot(link("base"), *2000 * ['<link name="base"/>']))
    with pytest.raises(aj.ModelError, match=r"has 2,000 problems:(.|\n)*  - and 1,000 more$") as error:
        aj.load(tmp_path / "bot.urdf")
    assert str(error.value).count("\n") == 1001


def test_digits_of_other_scripts_are_no_numbers(tmp_path):
    (tmp_path / "bot.urdf").write_text(robot(link("base", mass="\N{ARABIC-INDIC DIGIT ONE}")), encoding="utf8")
    with pytest.raises(aj.ModelError, match="no finite decimal number"):
        aj.load(tmp_path / "bot.urdf")


def test_a_pipe_is_not_waited_for(package):
    os.mkfifo(package / "bot/meshes/pipe.stl")
    with pytest.raises(aj.InputError, match="no regular file"):
        aj.load(package / "bot/meshes/pipe.stl")
    (warning,) = load(package, meshed("../meshes/pipe.stl")).source.warnings
    assert "no regular file" in warning.message


@pytest.mark.parametrize("path", ["nothing.urdf", ".", "a\0b"])
def test_no_file(tmp_path, path):
    with pytest.raises(aj.InputError, match="load: "):
        aj.load(tmp_path / path)


@pytest.mark.parametrize(("options", "words"), [
    ({"base": "flying"}, "base='flying' is unknown"),
    ({"meshes": "veiw"}, "did you mean 'view'"),
    ({"allow": "inertai"}, "did you mean 'inertia'"),
    ({"allow": {"inertia", "x"}}, "allow='x'"),
    ({"packages": {"a": "/no/such/folder"}}, "is no folder"),
    ({"packages": {"a": None}}, "is no folder"),
    ({"packages": ["a"]}, "expected folders by name"),
    ({"allow": None}, "expected rules such as {'inertia'}"),
    ({"meshes": None}, "meshes=None is unknown"),
    ({"contacts": None}, "contacts=None is unknown"),
    ({"path": None}, "path=None; expected the path of a file"),
    ({"path": b"robot.urdf"}, "expected the path of a file"),
    ({"pakages": {}}, "did you mean 'packages'"),
])  # fmt: skip
def test_options_are_checked(tmp_path, options, words):
    (tmp_path / "bot.urdf").write_text(robot(link("base")))
    with pytest.raises(aj.InputError, match=words):
        aj.load(**({"path": tmp_path / "bot.urdf"} | options))


def test_the_module_can_be_called(tmp_path):
    (tmp_path / "bot.urdf").write_text(robot(link("base")))
    assert sys.modules["anyjoint.load"](tmp_path / "bot.urdf").nb == 1


def test_a_robot_of_hinges_loads_no_geometry(tmp_path):
    """Nor threads and logging: what it does not need takes longer than its first answer."""
    arm = [joint("a", "revolute", "base", "one", LIMIT), joint("b", "prismatic", "one", "two", LIMIT)]
    (tmp_path / "bot.urdf").write_text(robot(link("base"), link("one"), link("two"), *arm))
    heavy = ("geometry.curves", "geometry.surfaces", "geometry.distances", "geometry.functions", "joints.rolling")
    code = f"import sys, anyjoint as aj; aj.load({str(tmp_path / 'bot.urdf')!r}, base='free').compile()"
    names = (*(f"anyjoint.{name}" for name in heavy), "concurrent.futures", "trimesh", "mujoco")
    code += f"; print(*[m for m in {names!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


# -- meshes and where they are -------------------------------------------------------------------------------


@pytest.mark.parametrize("reference", [
    "../meshes/part.stl", "package://bot/meshes/part.stl", "model://bot/meshes/part.stl",
    "package://bot//meshes/part.stl", "package:///bot/meshes/part.stl",
])  # fmt: skip
def test_meshes_are_found(package, reference):
    mech = load(package, meshed(reference, 'scale="2 1 1"'))
    assert mech.source.warnings == ()
    mesh = mech["base"].shape
    assert (len(mesh.vertices), len(mesh.faces)) == (4, 4), "equal corners are one vertex"
    assert mesh.vertices.max(axis=0).tolist() == [2, 1, 1]
    assert mesh.volume == pytest.approx(1 / 3)
    assert load(package, meshed(reference), meshes="skip")["base"].shapes == ()


@pytest.mark.parametrize(("count", "watched", "shown"), [(30, True, True), (30, False, False), (3, True, False)])
def test_a_bar_shows_how_far_many_meshes_are(package, monkeypatch, capfd, count, watched, shown):
    """Where they are many, take long, and someone watches; it goes away."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: watched)
    monkeypatch.setattr("anyjoint.simulate.progress.PATIENCE", 0.0)
    for name, value in (("TERM", "xterm"), ("COLUMNS", "200"), ("FORCE_COLOR", "1")):
        monkeypatch.setenv(name, value)
    mesh = '<visual><geometry><mesh filename="../meshes/part.stl"/></geometry></visual>'
    assert len(load(package, robot(link("base", more=count * mesh)))["base"].shapes) == count
    assert ("reading meshes of" in capfd.readouterr().err) is shown


def test_robots_of_meshes_wear_light_and_dark_shells(package):
    """In turn along a limb; what has a colour keeps it, and robots without meshes are coloured body by body."""
    ball, red = "<geometry><sphere radius='1'/></geometry>", '<material name="r"><color rgba="1 0 0 1"/></material>'
    parts = [
        link("arm", more=f"<visual>{ball}</visual>"), joint("a", "continuous", "base", "arm"),
        link("cap", more=f"<visual>{ball}</visual><visual>{ball}{red}</visual>"), joint("b", "fixed", "arm", "cap"),
        link("hand", more=f"<visual>{ball}</visual>"), joint("c", "continuous", "arm", "hand"),
    ]  # fmt: skip
    mech = load(package, meshed("../meshes/part.stl").replace("</robot>", "\n".join([*parts, "</robot>"])))
    base, arm, cap, painted, hand = (shape.color for body in mech.bodies for shape in body.shapes)
    assert base == hand != arm == cap
    assert painted == "#ff0000"
    bare = load(package, robot(link("base"), *parts))
    assert [shape.color for body in bare.bodies for shape in body.shapes] == [None, None, "#ff0000", None]


def test_a_mirrored_mesh_is_not_inside_out(package):
    assert load(package, meshed("../meshes/part.stl", 'scale="-1 1 1"'))["base"].shape.volume == pytest.approx(1 / 6)


@pytest.mark.parametrize(("reference", "words"), [
    ("../../other/secret.stl", "leads out of the model's folder"),
    ("package://bot/../other/secret.stl", "leads out of the model's folder"),
    ("package://other/secret.stl", "package 'other' is not known"),
    ("package://../other/secret.stl", "package '..' is not known"),
    ("{root}/other/secret.stl", "absolute path"),
    ("file://{root}/other/secret.stl", "only package://"),
    ("http://example.com/x.stl", "only package://"),
    ("../meshes/link.stl", "leads out of the model's folder"),
    ("../meshes/none.stl", "there is no file"),
    ("../meshes", "no regular file"),
    ("", "no name of a file"),
    ("x" * 5000, "there is no file"),
])  # fmt: skip
def test_nothing_outside_is_read(package, reference, words):
    (package / "bot/meshes/link.stl").symlink_to(package / "other/secret.stl")
    mech = load(package, meshed(reference.replace("{root}", str(package))))
    (warning,) = mech.source.warnings
    assert warning.rule == "mesh"
    assert words in warning.message
    assert mech["base"].shapes == ()


@pytest.mark.parametrize("levels", [0, 1])
def test_a_home_is_no_package(package, monkeypatch, levels):
    """Nor is a folder above it, however a file calls it."""
    monkeypatch.setenv("HOME", str(package / "bot" if levels else package))
    (warning,) = load(package, meshed(f"package://{package.name}/other/secret.stl")).source.warnings
    assert f"the package {package.name!r} is not known" in warning.message
    monkeypatch.setenv("HOME", "/nowhere")
    assert load(package, meshed(f"package://{package.name}/other/secret.stl")).source.warnings == ()


def test_downloads_are_no_package(tmp_path, monkeypatch):
    """Nor are other folders of a home where things lie beside each other."""
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "Downloads/bot").mkdir(parents=True)
    (tmp_path / "Downloads/secret.stl").write_bytes(stl())
    path = tmp_path / "Downloads/bot/bot.urdf"
    path.write_text(meshed("package://Downloads/secret.stl"))
    (warning,) = aj.load(path).source.warnings
    assert "the package 'Downloads' is not known" in warning.message


def test_a_null_byte_is_no_name(package):
    with pytest.raises(PathRefused, match="no name of a file"):
        Paths(package / "bot/urdf/bot.urdf").find("a\0b")


def test_an_unknown_package_is_told_once(package):
    more = "".join(f'<visual><geometry><mesh filename="package://gone/{k}.stl"/></geometry></visual>' for k in "abc")
    (warning,) = load(package, robot(link("base", more=more))).source.warnings
    assert "packages={'gone': FOLDER}" in warning.message


def test_packages_are_given(package):
    mech = load(package, meshed("package://other/secret.stl"), packages={"other": package / "other"})
    assert len(mech["base"].shapes) == 1
    mech = load(package, meshed("../../other/secret.stl"), packages={"meshes": package / "other"})
    assert len(mech["base"].shapes) == 1


@pytest.mark.parametrize(("name", "content", "words"), [
    ("part.stl", stl(count=1000), "says 1,000 triangles"),
    ("part.stl", stl(TETRAHEDRON * np.float32(np.nan)), "finite"),
    ("part.stl", stl(TETRAHEDRON[:0]), "cannot be read|no triangles"),
    ("part.stl", b"", "it is cut off"),
    ("part.obj", b"f 1 2 3\n", "cannot be read|no triangles|vertex"),
    ("part.dae", b"<COLLADA>", "cannot be read"),
    ("part.step", b"", "not read; convert"),
])  # fmt: skip
def test_broken_meshes_are_told(package, name, content, words):
    (package / "bot/meshes" / name).write_bytes(content)
    with pytest.raises(aj.AnyjointError, match=words):
        read_triangles(package / "bot/meshes" / name)
    (warning,) = load(package, meshed(f"../meshes/{name}")).source.warnings
    assert name in warning.message


def test_meshes_of_other_kinds(package):
    (package / "bot/meshes/part.obj").write_text(
        "mtllib ../../other/secret.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    )
    assert load(package, meshed("../meshes/part.obj"))["base"].shape.volume == pytest.approx(1 / 6)


def test_without_trimesh_one_warning_says_how_to_get_it(package, monkeypatch):
    monkeypatch.setitem(sys.modules, "trimesh", None)
    text = meshed("../meshes/part.stl").replace("</link>", "</link>" + link("b"))
    text = text.replace("</robot>", joint("j", "fixed", "base", "b") + "</robot>")
    (package / "bot/meshes/more.stl").write_bytes(stl())
    (warning,) = load(package, text).source.warnings
    assert "pip install anyjoint[meshes]" in warning.message


def test_a_mesh_that_is_too_large(package, monkeypatch):
    monkeypatch.setattr(importlib.import_module("anyjoint.load.meshes"), "MOST_BYTES", 10)  # aj.load is a function
    with pytest.raises(aj.AnyjointError, match="at most 10 are read"):
        read_triangles(package / "bot/meshes/part.stl")
