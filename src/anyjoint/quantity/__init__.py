"""What a model can answer: QUANTITIES lists the records that the files of `answers` define."""

from anyjoint.listed import Listed

from . import answers
from .quantity import Quantity, Row

QUANTITIES = Listed(answers, Quantity)

__all__ = ["QUANTITIES", "Quantity", "Row"]
