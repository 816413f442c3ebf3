"""Programs that run functions of joints, rates and charts: where these find the joints' numbers."""

from __future__ import annotations

from typing import Any

from anyjoint.codegen import Place
from anyjoint.codegen.builder import Builder
from anyjoint.stepper.physics import built_in_joints, numbered_bodies
from anyjoint.trace.joint_numbers import handed_on
from anyjoint.trace.numbers import Numbers
from anyjoint.trace.setup import Rows
from anyjoint.trace.workshop import Trace, Workshop
from anyjoint.tree.plan import Plan

NOTHING = Plan((), ()), Numbers((), (0.0, 0.0, 0.0))


def joint_places(
    workshop: Workshop, plan: Plan, builder: Builder, setups: list[Rows]
) -> tuple[dict[int, Place], tuple[Any, ...]]:
    """Where numbers of joints stand if derivatives are by them, with set-ups; else the joints that are built in."""
    if workshop.varying.nudged is None:
        return {}, built_in_joints(workshop.mechanism)
    rows, places = handed_on(plan, numbered_bodies(workshop.mechanism), max((x.end for x in setups), default=0))
    setups += rows
    return {body: builder.place("numbers", at) for body, at in places.items()}, ()


class JointFunctions:
    """A program of nothing but functions of joints, in the making: it has a plan only where derivatives want one."""

    def __init__(self, workshop: Workshop, builder: Builder) -> None:
        self.builder, self.setups = builder, list[Rows]()
        bare = workshop.varying.nudged is None
        self.made = NOTHING if bare else (workshop.plan(), workshop.numbers("links", False))
        self.own, self.joints = joint_places(workshop, self.made[0], builder, self.setups)

    def trace(self, name: str) -> Trace:
        """What has been built."""
        return Trace(name, self.builder.schedule(), self.setups, *self.made, "links", False, joints=self.joints)
