"""From `matrix.toml` to cells: pure functions, no file and no network."""
