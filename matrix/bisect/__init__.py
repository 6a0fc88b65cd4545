"""Which commit broke it: a search over an immutable state, with a confidence that is true."""
