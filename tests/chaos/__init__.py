"""Kills at random moments of a service's nights, and what must hold after each."""
