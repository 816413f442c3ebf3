"""Forces beside gravity: springs, dampers, wrenches, cables, muscles, motors, stops; one file each."""

from anyjoint.constraints import Push

from .actuator import Actuator
from .attraction import Attraction
from .box_drag import BoxDrag
from .bushing import Bushing
from .cable import Cable
from .custom import Custom
from .displacement import Displacement
from .drag import Drag
from .dry_friction import DryFriction
from .flv import FLV
from .force import Force
from .hunt_crossley import HuntCrossley
from .lag import Filter, Integrator, MuscleLag
from .ligament import Ligament
from .limits import Limits
from .magnets import Magnets
from .motor import Motor
from .muscle import Hill, Muscle
from .servo import Servo
from .slider_crank import SliderCrank
from .soft_stop import SoftStop
from .spring import Spring
from .tendon import Tendon
from .tether import Tether
from .thruster import Thruster
from .waypoint import ConditionalPoint, Drum, MovingPoint, Pulley
from .wrap import WrapCylinder, WrapSphere
from .wrap_ellipsoid import WrapEllipsoid
from .wrench import Wrench

__all__ = [
    "FLV", "Actuator", "Attraction", "BoxDrag", "Bushing", "Cable", "ConditionalPoint", "Custom", "Displacement",
    "Drag", "Drum", "DryFriction", "Filter", "Force", "Hill", "HuntCrossley", "Integrator", "Ligament", "Limits",
    "Magnets", "Motor", "MovingPoint", "Muscle", "MuscleLag", "Pulley", "Push", "Servo", "SliderCrank", "SoftStop",
    "Spring", "Tendon", "Tether", "Thruster", "WrapCylinder", "WrapEllipsoid", "WrapSphere", "Wrench",
]  # fmt: skip
