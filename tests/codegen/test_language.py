"""What printers of text share."""

from anyjoint.codegen.ir import Code, Listing, Statement
from anyjoint.codegen.kernel import Array
from anyjoint.codegen.language import Language, body


def test_sines_come_together_unless_one_needs_another():
    """Of x and y, then of the sine of x, which has to wait for it."""
    groups = []

    def sincos(angles):
        groups.append([(angle.x, angle.y) for angle in angles])
        return [], {angle.sine: f"s{angle.sine}" for angle in angles}

    language = Language({}, "{r} = {x}", "", sincos, "a[{offset}]", "", str)
    loads = [Statement(Code.LOAD, (), (0, k), k) for k in (0, 1)]
    sines = [Statement(Code.SINCOS, args, (), k) for args, k in (((0, 1), 2), ((1, 0), 4), ((2, 1), 6))]
    lines = body(Listing((Array("x", "row"),), (), (*loads, *sines), 8), language, 0)
    assert list(lines) == ["0 = a[0]", "1 = a[1]"]
    assert groups == [[("t0", "t1"), ("t1", "t0")], [("s2", "t1")]]
