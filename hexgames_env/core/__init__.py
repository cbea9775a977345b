"""What a game is, in Python: boards, options, positions, batches, symmetries, the registry."""
