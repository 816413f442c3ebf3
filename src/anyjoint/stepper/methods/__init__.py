"""Ways to step a state, one file each: a stepper has the name of its file."""

__all__: list[str] = []
