"""Other engines as oracles for loaded files: the same model at the same state."""
