"""The one exception tree: every error that a user can cause is an AnyjointError."""


class AnyjointError(Exception):
    """Something that a user can mend; the message says where, what was given, what was expected, what to do."""


class ExpressionError(AnyjointError):
    """An expression that cannot be built, differentiated or compiled."""


class ModelError(AnyjointError):
    """A mechanism that breaks the rules of physics or of the description; lists all problems at once."""


class InputError(AnyjointError, ValueError):
    """An argument of the wrong shape, type or value."""


class SingularityError(AnyjointError):
    """A configuration where a joint's coordinates or the mass matrix break down."""


class AlgorithmError(AnyjointError, AttributeError):
    """A sweep that reads what nothing has given it."""
