"""Benchmarks of anyjoint against other engines: `python -m bench.run`."""
