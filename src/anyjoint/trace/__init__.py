"""Physics traced into kernels and straight code: body classes, layout, set-up programs, what is remembered."""
