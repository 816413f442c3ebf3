"""Forces beside gravity: springs, wrenches, servos, stops; one file each."""

from .actuator import Actuator
from .force import Force
from .limits import Limits
from .servo import Servo
from .spring import Spring
from .wrench import Wrench

__all__ = ["Actuator", "Force", "Limits", "Servo", "Spring", "Wrench"]
