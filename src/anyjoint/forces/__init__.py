"""Forces beside gravity: springs, wrenches, servos, stops; one file each."""

from .actuator import Actuator
from .drag import Drag
from .force import Force
from .limits import Limits
from .servo import Servo
from .spring import Spring
from .wrench import Wrench

__all__ = ["Actuator", "Drag", "Force", "Limits", "Servo", "Spring", "Wrench"]
