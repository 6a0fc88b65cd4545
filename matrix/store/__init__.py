"""The database of runs, and the logs beside it. The only package that speaks SQL; `open_store` is its door."""

from matrix.store.dumpread import is_dump
from matrix.store.dumpread import read_lines as read_dump
from matrix.store.failures import ClaimLostError
from matrix.store.jobs import Job, JobStatus, Priority
from matrix.store.judged import Fall, Noise, Place
from matrix.store.memory import History, Q, Read, Remembered
from matrix.store.points import PromptPoint, StoredBaseline, StoredPoint
from matrix.store.redact import hide, redact
from matrix.store.results import Filters
from matrix.store.store import Store, open_store, state_dir_of
from matrix.store.sweeps import SweepStatus

__all__ = [
    "ClaimLostError",
    "Fall",
    "Filters",
    "History",
    "Job",
    "JobStatus",
    "Noise",
    "Place",
    "Priority",
    "PromptPoint",
    "Q",
    "Read",
    "Remembered",
    "Store",
    "StoredBaseline",
    "StoredPoint",
    "SweepStatus",
    "hide",
    "is_dump",
    "open_store",
    "read_dump",
    "redact",
    "state_dir_of",
]
