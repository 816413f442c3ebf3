"""Forces beside gravity: springs, dampers, wrenches, cables, muscles, motors, stops; one file each."""

from anyjoint.constraints import Push

from .actuator import Actuator
from .attraction import Attraction
from .bushing import Bushing
from .cable import Cable
from .custom import Custom
from .drag import Drag
from .force import Force
from .limits import Limits
from .magnets import Magnets
from .motor import Motor
from .muscle import Hill, Muscle
from .path import ConditionalPoint, MovingPoint
from .servo import Servo
from .spring import Spring
from .wrap import WrapCylinder, WrapSphere
from .wrench import Wrench

__all__ = [
    "Actuator", "Attraction", "Bushing", "Cable", "ConditionalPoint", "Custom", "Drag", "Force", "Hill", "Limits",
    "Magnets", "Motor", "MovingPoint", "Muscle", "Push", "Servo", "Spring", "WrapCylinder", "WrapSphere", "Wrench",
]  # fmt: skip
