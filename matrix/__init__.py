"""specmatrix: which engine version works with which model and speculative draft."""

__version__ = "0.1.0"
