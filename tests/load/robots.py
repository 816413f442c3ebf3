"""Small robots as texts, for the tests of loaders."""

INERTIAL = (
    '<inertial><origin xyz="0.1 -0.05 {z}" rpy="0.3 0.2 -0.1"/><mass value="{m}"/>'
    '<inertia ixx="0.03" ixy="0.002" ixz="-0.001" iyy="0.04" iyz="0.003" izz="0.05"/></inertial>'
)


def link(name, mass=1.0, z=0.2, more=""):
    """A link with a general inertia."""
    return f'<link name="{name}">{INERTIAL.format(m=mass, z=z)}{more}</link>'


def joint(name, kind, parent, child, more="", axis="0 0 1", origin='xyz="0.1 0.2 0.3" rpy="0.4 -0.5 0.6"'):
    """A joint; `axis=None` leaves the axis out."""
    turned = f'<axis xyz="{axis}"/>' if axis else ""
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f"<origin {origin}/>{turned}{more}</joint>"
    )


def robot(*parts, name="bot"):
    """The whole file, one part a line, so that the k-th part stands at line k + 2."""
    return "\n".join(['<?xml version="1.0"?>', f'<robot name="{name}">', *parts, "</robot>"])


LIMIT = '<limit lower="-1.5" upper="2" effort="30" velocity="3"/>'
WIDE = '<limit lower="-3" upper="3" effort="1" velocity="1"/>'
FOLLOWS, DAMPED = '<mimic joint="f1" multiplier="0.5" offset="0.1"/>', '<dynamics damping="0.4"/>'
FOLLOWS_FOLLOWER = '<mimic joint="f2" multiplier="-2" offset="0.3"/>'
# Every type of joint in a branched tree, with a hand whose fingers follow each other.
ZOO = robot(
    link("base", 3),
    link("upper", 2), joint("shoulder", "revolute", "base", "upper", LIMIT + '<dynamics damping="0.2"/>', "0.6 0 0.8"),
    link("lower"), joint("elbow", "continuous", "upper", "lower", axis="0 1 0"),
    link("slide"), joint("rail", "prismatic", "lower", "slide", LIMIT, "0 0.6 0.8"),
    link("tool"), joint("flange", "fixed", "slide", "tool"),
    link("ball"), joint("string", "floating", "base", "ball"),
    link("finger1", 0.5), joint("f1", "revolute", "tool", "finger1", LIMIT, "0 1 0"),
    link("finger2", 0.4), joint("f2", "revolute", "finger1", "finger2", LIMIT + FOLLOWS + DAMPED, "1 0 0"),
    link("finger3", 0.3), joint("f3", "prismatic", "finger2", "finger3", WIDE + FOLLOWS_FOLLOWER, "0 0 1"),
)  # fmt: skip
# The same where no joint follows one that follows, which Pinocchio does not take.
ZOO_FOR_PINOCCHIO = ZOO.replace(FOLLOWS_FOLLOWER, '<mimic joint="f1" multiplier="-1" offset="0.1"/>')
