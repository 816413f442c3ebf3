"""Accelerations over a step under all contacts, limits and dry friction of a mechanism."""

from ..contact import contact

CONTACT_ACCELERATION = contact()
