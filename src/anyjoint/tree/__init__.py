"""The tree that algorithms run over: links, inner frames, raw numbers, records."""

__all__: list[str] = []  # ask for its modules
