"""OpenSim files as text, put together from parts."""

import numpy as np

LINE = "<LinearFunction><coefficients>1 0</coefficients></LinearFunction>"


def row(values):
    return " ".join(repr(float(x)) for x in values)


def function(entry):
    """A function of the reference case as OpenSim writes it."""
    kind = entry["type"]
    inside = {key: entry[key] for key in ("value", "coefficients", "x", "y") if key in entry}
    tags = "".join(f"<{k}>{row(np.atleast_1d(v))}</{k}>" for k, v in inside.items())
    return f'<{kind} name="function">{tags}</{kind}>'


def transform(entry):
    axes = "".join(
        f'<TransformAxis name="{t["kind"]}"><coordinates>{" ".join(t["coordinates"])}</coordinates>'
        f'<axis>{row(t["axis"])}</axis>{function(t["function"])}</TransformAxis>'
        for t in entry["spatial_transform"]
    )
    return f"<SpatialTransform>{axes}</SpatialTransform>"


def coordinates(names, tag="coordinates"):
    inside = "".join(f'<Coordinate name="{name}"><range>-1 1</range></Coordinate>' for name in names)
    return f"<{tag}>{inside}</{tag}>"


def body(name, mass=1.0, com=(0, 0, 0), inertia=(0.1, 0.1, 0.1, 0, 0, 0), more=""):
    tags = f"<mass>{mass!r}</mass><mass_center>{row(com)}</mass_center><inertia>{row(inertia)}</inertia>"
    return f'<Body name="{name}">{tags}{more}</Body>'


def joint(kind, parent, child, inside="", name=None, at=((0, 0, 0), (0, 0, 0)), back=((0, 0, 0), (0, 0, 0))):
    """A joint of version 4 with its two offset frames."""
    frames = "".join(
        f'<PhysicalOffsetFrame name="{which}"><socket_parent>{"/" if owner == "ground" else "/bodyset/"}{owner}'
        f"</socket_parent><translation>{row(shift)}</translation><orientation>{row(turn)}</orientation>"
        "</PhysicalOffsetFrame>"
        for which, owner, (shift, turn) in (("before", parent, at), ("after", child, back))
    )
    sockets = "<socket_parent_frame>before</socket_parent_frame><socket_child_frame>after</socket_child_frame>"
    return f'<{kind} name="{name or child + "_joint"}">{sockets}{inside}<frames>{frames}</frames></{kind}>'


def document(bodies, members, more=""):
    sets = f"<BodySet><objects>\n{chr(10).join(bodies)}\n</objects></BodySet>"
    sets += f"<JointSet><objects>\n{chr(10).join(members)}\n</objects></JointSet>" if members else ""
    return f'<OpenSimDocument Version="40000"><Model name="m">\n{sets}\n{more}</Model></OpenSimDocument>'


PIN = joint("PinJoint", "ground", "a", coordinates(["x"]))
OLD = """<OpenSimDocument Version="20302"><Model name="old"><BodySet><objects>
<Body name="ground"/>
<Body name="b"><mass>2</mass><mass_center>0.1 0 0</mass_center><inertia_xx>0.1</inertia_xx><inertia_yy>0.2</inertia_yy>
<inertia_zz>0.25</inertia_zz><inertia_xy>0.01</inertia_xy><Joint><PinJoint name="j"><parent_body>ground</parent_body>
<location_in_parent>1 2 3</location_in_parent><orientation_in_parent>0.1 0.2 0.3</orientation_in_parent>
<location>0.4 0.5 0.6</location><orientation>-0.3 0.2 0.1</orientation>
<CoordinateSet><objects><Coordinate name="a"/></objects></CoordinateSet></PinJoint></Joint></Body>
</objects></BodySet></Model></OpenSimDocument>"""
