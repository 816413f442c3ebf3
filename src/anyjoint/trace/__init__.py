"""Physics traced into kernels and straight code: body classes, layout, set-up programs, what is remembered."""

__all__: list[str] = []  # ask for its modules
