"""What a model can answer, one file each: a quantity has the name of its file."""

__all__: list[str] = []
