"""Checks of the machine that sweeps run on. Each names what it found, how bad that is, and what to do."""
