"""What is wrong with a URDF: each problem by rule and line, all of them at once."""

import pathlib

import numpy as np
import pytest

import anyjoint as aj
from load.robots import LIMIT, joint, link, robot

J = joint("j", "continuous", "base", "tip")
PARTS = [link("base"), link("tip"), J]


def problems(tmp_path, *parts, **options):
    (tmp_path / "bot.urdf").write_text(robot(*parts))
    with pytest.raises(aj.ModelError) as caught:
        aj.load(tmp_path / "bot.urdf", **options)
    head, *lines = str(caught.value).splitlines()
    assert head == f"{tmp_path / 'bot.urdf'} has {len(lines)} problem{'s' if len(lines) > 1 else ''}:"
    found = []
    for line in lines:
        place, _, message = line.removeprefix(f"  - {tmp_path / 'bot.urdf'}:").partition(": ")
        found.append((int(place), message.rpartition(" [")[2].rstrip("]"), message))
    return found


def kinds(found):
    return [(line, rule) for line, rule, _ in found]


@pytest.mark.parametrize(("parts", "expected"), [
    ([link("base", mass="1.0abc"), *PARTS[1:]], [(3, "number")]),
    ([link("base", mass="nan"), *PARTS[1:]], [(3, "number")]),
    ([link("base", mass="1e999"), *PARTS[1:]], [(3, "number")]),
    ([link("base", mass="${m}"), *PARTS[1:]], [(3, "number")]),
    ([link("base", mass=-2), *PARTS[1:]], [(3, "mass")]),
    ([link("base").replace('<mass value="1.0"/>', ""), *PARTS[1:]], [(3, "missing")]),
    ([link("base").replace(' izz="0.05"', ""), *PARTS[1:]], [(3, "missing")]),
    ([link("base", z="0 1"), *PARTS[1:]], [(3, "vector")]),
    ([link("base", z="x"), *PARTS[1:]], [(3, "number")]),
    ([link("base", mass=0), *PARTS[1:]], [(3, "inertia")]),
    ([link("base"), link("tip"), link("base"), J], [(5, "duplicate")]),
    ([*PARTS, J], [(6, "duplicate")]),
    ([link(""), *PARTS], [(3, "name"), (4, "tree")]),
    ([link("base"), link("tip"), J.replace('name="j"', "")], [(5, "name")]),
    ([link("base"), link("tip"), J.replace("continuous", "contineous")], [(5, "type")]),
    ([link("base"), link("tip"), J.replace('link="tip"', 'link="top"')], [(5, "reference")]),
    ([link("base"), link("tip"), J.replace('<parent link="base"/>', "")], [(5, "missing")]),
    ([link("base"), link("tip")], [(4, "tree")]),
    ([*PARTS, joint("k", "fixed", "tip", "base")], [(3, "tree")]),
    ([*PARTS, joint("k", "fixed", "base", "base")], [(3, "tree")]),
    ([*PARTS, joint("k", "fixed", "base", "tip")], [(6, "tree")]),
    ([], [(2, "empty")]),
    ([link("base"), link("tip"), J.replace("0 0 1", "0 0 0")], [(5, "axis")]),
    ([*PARTS[:2], joint("j", "revolute", "base", "tip", '<limit lower="1" upper="-1"/>')], [(5, "limit")]),
    ([*PARTS[:2], joint("j", "continuous", "base", "tip", '<dynamics damping="-1"/>')], [(5, "damping")]),
    ([*PARTS[:2], joint("j", "continuous", "base", "tip", "<mimic/>")], [(5, "missing")]),
    ([*PARTS[:2], joint("j", "continuous", "base", "tip", '<mimic joint="k"/>')], [(5, "mimic")]),
    ([*PARTS[:2], joint("j", "continuous", "base", "tip", '<mimic joint="j"/>')], [(5, "mimic")]),
    ([*PARTS, "<xacro:include/>"], [(6, "xacro")]),
    ([link("base"), link("tip").replace("<mass", "<xacro:insert_block/><mass"), J], [(4, "xacro")]),
    ([*PARTS[:2], joint("j", "fixed", "base", "tip", origin='rpy="0 0 1" quat_xyzw="0 0 0 1"')], [(5, "origin")]),
    ([*PARTS[:2], joint("j", "fixed", "base", "tip", origin='quat_xyzw="0 0 0 0"')], [(5, "origin")]),
])  # fmt: skip
def test_each_problem(tmp_path, parts, expected):
    assert kinds(problems(tmp_path, *parts)) == expected


def test_all_at_once_in_the_order_of_the_file(tmp_path):
    found = problems(tmp_path, link("base", mass=-1), link("tip", mass="x"), J.replace("0 0 1", "0 0 0"),
                     joint("k", "revolute", "base", "nobody", '<limit lower="1" upper="0"/>'))  # fmt: skip
    assert kinds(found) == [(3, "mass"), (4, "number"), (5, "axis"), (6, "reference"), (6, "limit")]


def test_names_are_suggested(tmp_path):
    ((_, _, message),) = problems(tmp_path, link("base"), link("tip"), J.replace("continuous", "contineous"))
    assert "did you mean 'continuous'?" in message
    ((_, _, message),) = problems(tmp_path, link("base"), link("upper"), J.replace('link="tip"', 'link="uper"'))
    assert "did you mean 'upper'?" in message
    ((_, _, message),) = problems(tmp_path, link("base", mass="${m}"), *PARTS[1:])
    assert "xacro" in message


def test_a_circle_of_followers_is_named(tmp_path):
    links = [link(name) for name in ("base", "one", "two")]
    followers = [
        joint("a", "revolute", "base", "one", LIMIT + '<mimic joint="b"/>'),
        joint("b", "revolute", "base", "two", LIMIT + '<mimic joint="a"/>'),
    ]
    assert "a -> b -> a" in problems(tmp_path, *links, *followers)[0][2]


def test_a_lost_leader_can_be_allowed(tmp_path):
    part = joint("j", "continuous", "base", "tip", '<mimic joint="gone"/>')
    (tmp_path / "bot.urdf").write_text(robot(link("base"), link("tip"), part))
    mech = aj.load(tmp_path / "bot.urdf", allow="mimic")
    assert mech.nv == 1
    assert [warning.rule for warning in mech.source.warnings] == ["mimic"]


@pytest.mark.parametrize(("part", "rule", "nv"), [
    (joint("j", "revolute", "base", "tip", '<limit lower="1" upper="-1" effort="1" velocity="1"/>'), "limit", 1),
    (joint("j", "continuous", "base", "tip", origin='xyz="0 0 1 0"'), "vector", 1),
    (joint("j", "continuous", "base", "tip") + joint("k", "continuous", "world", "base"), "reference", 2),
])  # fmt: skip
def test_what_others_load_can_be_allowed(tmp_path, part, rule, nv):
    (tmp_path / "bot.urdf").write_text(robot(link("base"), link("tip"), part))
    with pytest.raises(aj.ModelError, match=rf":5: .*allow={{\"{rule}\"}} lets it pass: .*\[{rule}\]"):
        aj.load(tmp_path / "bot.urdf")
    mech = aj.load(tmp_path / "bot.urdf", allow=rule)
    assert mech.nv == nv
    assert mech.bodies[-1].joint.coordinates[0].limits == (-np.inf, np.inf)
    assert mech.bodies[-1].placement.p[2] == (1 if rule == "vector" else 0.3)
    assert [warning.rule for warning in mech.source.warnings] == [rule]


def test_too_few_numbers_stay_an_error(tmp_path):
    part = joint("j", "continuous", "base", "tip", origin='xyz="0 1"')
    (tmp_path / "bot.urdf").write_text(robot(link("base"), link("tip"), part))
    with pytest.raises(aj.ModelError, match="expected 3 numbers, got 2"):
        aj.load(tmp_path / "bot.urdf", allow="vector")


def test_blank_lines_before_the_declaration(tmp_path):
    bad = "\n \n" + robot(link("base"), link("tip"), joint("j", "continuous", "base", "top"))
    (tmp_path / "bot.urdf").write_text(bad)
    with pytest.raises(aj.ModelError, match=r"bot\.urdf:7: joint 'j': there is no link 'top'; did you mean 'tip'"):
        aj.load(tmp_path / "bot.urdf")
    (tmp_path / "bot.urdf").write_text(bad.replace("top", "tip"))
    assert aj.load(tmp_path / "bot.urdf").nv == 1


def test_spherical_joints_of_bullet(tmp_path):
    (tmp_path / "bot.urdf").write_text(robot(link("base"), link("tip"), joint("j", "spherical", "base", "tip")))
    mech = aj.load(tmp_path / "bot.urdf")
    assert (mech.nv, type(mech["tip"].joint).__name__) == (3, "SphericalQuaternion")


BAD = pathlib.Path(__file__).parents[1] / "data" / "bad_models"
EXPECTED = {
    "00_good": None, "01_nan_mass": "number", "02_negative_mass": "mass", "03_triangle_ineq": "inertia",
    "05_zero_mass_leaf": "massless", "07_pure_cycle": "tree", "08_disconnected": "tree", "09_dup_link": "duplicate",
    "11_limits_reversed": "limit", "12_zero_axis": "axis", "13_nan_origin": "number", "14_truncated_xml": "xml",
    "15_billion_laughs": "xml", "17_missing_mesh": "mesh", "18_path_traversal": "mesh", "19_missing_child": "reference",
    "21_weird_names": None, "23_garbage_number": "number", "25_random_bytes": "format",
    "26_massless_chain_end_inertia_missing": "massless",
}  # fmt: skip


def test_the_collection_is_whole():
    assert sorted(path.stem for path in BAD.glob("*.urdf")) == sorted(EXPECTED)


LOADED = (None, "massless", "mesh")


@pytest.mark.parametrize("name", [name for name, rule in EXPECTED.items() if rule in LOADED])
def test_collected_models_that_can_be_lived_with(name):
    mech, rule = aj.load(BAD / f"{name}.urdf"), EXPECTED[name]
    assert [warning.rule for warning in mech.source.warnings] == ([rule] if rule else [])
    assert mech.compile().nv > 0


@pytest.mark.parametrize("name", [name for name, rule in EXPECTED.items() if rule not in LOADED])
def test_collected_models_that_cannot(name):
    with pytest.raises(aj.ModelError) as caught:
        aj.load(BAD / f"{name}.urdf")
    text = str(caught.value)
    assert f"{BAD / name}.urdf:1: " in text
    assert text.count(" [") == text.count(f" [{EXPECTED[name]}]") > 0
