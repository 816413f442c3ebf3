"""Other engines, each in a module of its own that runs as a separate process: see `protocol`."""
