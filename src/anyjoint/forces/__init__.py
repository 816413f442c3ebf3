"""Forces beside gravity: springs, dampers, wrenches, cables, muscles, motors, stops; one file each."""

from anyjoint.constraints import Push

from .actuator import Actuator
from .attraction import Attraction
from .box_drag import BoxDrag
from .bushing import Bushing
from .cable import Cable
from .custom import Custom
from .drag import Drag
from .flv import FLV
from .force import Force
from .limits import Limits
from .magnets import Magnets
from .motor import Motor
from .muscle import Hill, Muscle
from .servo import Servo
from .spring import Spring
from .tendon import Tendon
from .thruster import Thruster
from .waypoint import ConditionalPoint, Drum, MovingPoint, Pulley
from .wrap import WrapCylinder, WrapSphere
from .wrap_ellipsoid import WrapEllipsoid
from .wrench import Wrench

__all__ = [
    "FLV", "Actuator", "Attraction", "BoxDrag", "Bushing", "Cable", "ConditionalPoint", "Custom", "Drag", "Drum",
    "Force", "Hill", "Limits", "Magnets", "Motor", "MovingPoint", "Muscle", "Pulley", "Push", "Servo", "Spring",
    "Tendon", "Thruster", "WrapCylinder", "WrapEllipsoid", "WrapSphere", "Wrench",
]  # fmt: skip
