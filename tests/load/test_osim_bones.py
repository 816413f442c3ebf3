"""What OpenSim shows of bodies: bones from files, and solids."""

import pytest

import anyjoint as aj
from anyjoint.load.meshes import read_triangles
from dynamics.support import close
from load.osim_text import OLD, PIN, body, document

VTP = """<VTKFile type="PolyData"><PolyData><Piece><Points><DataArray format="ascii">0 0 0  1 0 0  1 1 0  0 1 0
</DataArray></Points><Polys><DataArray Name="connectivity" format="ascii">0 1 2 3  0 1 2</DataArray>
<DataArray Name="offsets" format="ascii">4 7</DataArray></Polys></Piece></PolyData></VTKFile>"""


def test_bones_and_solids_are_shown(loaded, tmp_path):
    (tmp_path / "Geometry").mkdir()
    (tmp_path / "Geometry/bone.vtp").write_text(VTP)
    look = "<Appearance><color>1 0 0</color><opacity>0.5</opacity></Appearance>"
    inside = (
        f"<Mesh><mesh_file>bone.vtp</mesh_file><scale_factors>2 1 1</scale_factors>{look}</Mesh>"
        "<Mesh><mesh_file>lost.vtp</mesh_file></Mesh>"
        "<Sphere><radius>0.1</radius></Sphere><Brick><half_lengths>1 2 3</half_lengths></Brick>"
        "<Ellipsoid><radii>1 2 3</radii></Ellipsoid><Cylinder><radius>1</radius><half_height>2</half_height></Cylinder>"
        "<Sphere><Appearance><visible>false</visible></Appearance></Sphere>"
    )
    text = document([body("a", more=f"<attached_geometry>{inside}</attached_geometry>")], [PIN])
    mech = loaded(text)
    bone, ball, brick, egg, pipe = mech["a"].shapes
    assert bone.faces.tolist() == [[0, 1, 2], [0, 2, 3], [0, 1, 2]]
    assert (bone.vertices.max(axis=0).tolist(), bone.color, bone.opacity) == ([2, 1, 0], "#ff0000", 0.5)
    assert (ball.radius, brick.y, egg.c, pipe.length) == (0.1, 4.0, 3.0, 4.0)
    assert close(pipe.pose.matrix[:3, :3].astype(float) @ [0, 0, 1], [0, 1, 0], 1e-15)
    (warning,) = mech.source.warnings
    assert "1 meshes are not shown (lost.vtp)" in warning.message
    assert len(loaded(text, meshes="skip")["a"].shapes) == 4


def test_bones_may_be_elsewhere(loaded, tmp_path):
    (tmp_path / "bones").mkdir()
    (tmp_path / "bones/bone.vtp").write_text(VTP)
    shown = "<DisplayGeometry><geometry_file>bone.vtp</geometry_file></DisplayGeometry>"
    shown = f"<VisibleObject><GeometrySet><objects>{shown}</objects></GeometrySet></VisibleObject>"
    old = OLD.replace("<mass>2</mass>", f"<mass>2</mass>{shown}")
    assert len(loaded(old, packages={"Geometry": tmp_path / "bones"})["b"].shapes) == 1


@pytest.mark.parametrize(("text", "words"), [
    (VTP.replace("0 0 0  1", "0 0 x  1"), "could not convert"),
    (VTP.replace("0 0 0  1", "0 0 nan  1"), "finite numbers"),
    (VTP.replace('format="ascii"', 'format="binary"'), "as text"),
    (VTP.replace("0 1 2 3", "0 1 2 9"), "names vertex 9"),
    (VTP.replace("4 7", ""), "no polygons"), ("<VTKFile/>", "no polygons"), ("<VTK", "no XML"),
    (VTP.replace("0 0 0  1", "0 0  1"), "three for each point"),
])  # fmt: skip
def test_broken_bones(tmp_path, text, words):
    (tmp_path / "bone.vtp").write_text(text)
    with pytest.raises(aj.AnyjointError, match=words):
        read_triangles(tmp_path / "bone.vtp")
