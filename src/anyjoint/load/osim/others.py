"""Parts of an .osim that make no body, joint or force: frames, and what nothing here runs, which is told by kind."""

from __future__ import annotations

from collections import Counter

from anyjoint.errors import InputError, ModelError
from anyjoint.mechanism import Mechanism

from ..markup import Element
from .frames import follow, shared_frames
from .values import Values, objects

COMPONENTS = ("ComponentSet", "MiscComponentSet")
READ = ("PhysicalOffsetFrame", "Station")  # frames, and the points that span them


def add_frames(mech: Mechanism, model: Element, values: Values) -> None:
    """Offset frames of bodies and of the model, by their names."""
    shared = shared_frames(model)
    for path, (frame, owner) in shared.items():
        if "/" not in path or owner is None:  # it has another entry, or is a joint's
            continue
        name, (body, place) = path.rpartition("/")[2], follow(path, {}, shared, values)
        try:
            mech.add_frame(name, body, place)
        except (InputError, ModelError) as error:
            values.report.warn(frame.line, "frame", f"frame {name!r} is left out: {error}")


def tell_others(model: Element, values: Values) -> None:
    """Controllers, probes and other components of a model."""
    acting = [x for x in objects(model, "ControllerSet") if values.true(x, "enabled", True)]
    within = [part for child in model.children if child.tag == "components" for part in child.children]
    within += [part for kind in COMPONENTS for part in objects(model, kind)]
    told = Counter(part.tag for part in (*acting, *within) if part.tag not in READ)
    lines = {part.tag: part.line for part in reversed([*acting, *within])}
    for kind, count in told.items():
        values.report.warn(lines[kind], "component", f"{count} <{kind}>: not simulated")
    for probe in objects(model, "ProbeSet"):
        values.report.note(probe.line, "component", f"<{probe.tag}>: it only measures; not read")
