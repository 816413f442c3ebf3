"""What a model can answer: one record in one file each."""

__all__: list[str] = []  # ask for its modules
