"""The tree that algorithms run over: links, inner frames, raw numbers, records."""
