"""Measurement routines: ask a running server fixed prompts and read its raw counters."""

PROBE_VERSION = "1"
"""Part of every content key: raise it when a change here changes what is asked or how it is counted."""
