"""What a model can answer: one record in one file each."""
