"""All joints that must obey the laws: the zoo, and each kind that occurs in a gallery mechanism."""

from anyjoint.joints import Coupled, Joint
from anyjoint.joints.parameters import signature
from anyjoint.mechanism import gallery
from tests.joints.zoo import KINDS

BUILDERS = {
    "beads_on_wires": gallery.beads_on_wires,
    "board_on_spline_surface": gallery.board_on_spline_surface,
    "four_bar_knee": gallery.four_bar_knee,
    "rolling_wheels": gallery.rolling_wheels,
    "shoulder_blade": gallery.shoulder_blade,
    "torus_chain": gallery.torus_chain,
    "torus_chain_on_spline": gallery.torus_chain_on_spline,
    "windmill": gallery.windmill,
    "random_tree": gallery.random_tree,
}


def gallery_joints() -> dict[str, Joint]:
    """One instance of each joint kind of the gallery, named after its mechanism and body."""
    found: dict[str, Joint] = {}
    seen = {signature(joint) for joint in KINDS.values()}
    for name, build in BUILDERS.items():
        for body in build().bodies:
            joint = body.joint.joint if isinstance(body.joint, Coupled) else body.joint
            if signature(joint) not in seen:
                seen.add(signature(joint))
                found[f"{name}/{body.name}"] = joint
    return found


EVERYTHING = KINDS | gallery_joints()
