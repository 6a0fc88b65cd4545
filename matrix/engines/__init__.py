"""What is known about each engine: pure functions from a cell to data."""
