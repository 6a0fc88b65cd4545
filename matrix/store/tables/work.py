"""Sweeps, the jobs that workers claim from them, and the ticks of schedules that start them."""

from sqlalchemy import Column, Double, ForeignKey, Index, Integer, String, Table, Text, UniqueConstraint, text

from matrix.store.tables.base import Id, Json, metadata

sweeps = Table(
    "sweeps",
    metadata,
    Column("id", Id, primary_key=True),
    Column("request", Json, nullable=False),
    Column("config_text", Text, nullable=False),
    Column("config_hash", String(64), nullable=False),
    Column("status", String(16), nullable=False),
    Column("owner", Text, nullable=False),
    Column("tool_version", Text, nullable=False),
    Column("created_at", Double, nullable=False),
    Column("finished_at", Double),
    Index(None, "status"),
)

jobs = Table(
    "jobs",
    metadata,
    Column("id", Id, primary_key=True),
    Column("sweep_id", Id, ForeignKey("sweeps.id"), nullable=False),
    Column("content_key", String(64), nullable=False),
    Column("series_key", String(16), nullable=False),
    Column("engine", Text, nullable=False),
    Column("revision", Text, nullable=False),
    Column("boot", Integer, nullable=False),
    Column("label", Text, nullable=False),
    Column("cell", Json, nullable=False),
    Column("status", String(16), nullable=False),
    Column("owner", Text),
    Column("attempts", Integer, nullable=False),
    Column("lost", Integer, nullable=False),
    Column("claimed_at", Double),
    Column("heartbeat_at", Double),
    Column("phase", Text),
    Column("phase_detail", Text, nullable=False),
    Column("phase_at", Double),
    Column("run_id", String(64), ForeignKey("runs.run_id")),
    Column("note", Text, nullable=False),
    # Smaller goes first; see `matrix.store.jobs.Priority`.
    Column("priority", Integer, nullable=False, server_default="0"),
    # 1: workers of other processes may take it.
    Column("shared", Integer, nullable=False, server_default="0"),
    Column("gpus", Integer, nullable=False, server_default="0"),
    # Which workers can take it: those of this executor on this hardware class.
    Column("executor", Text, nullable=False, server_default=text("''")),
    Column("hardware", Text, nullable=False, server_default=text("''")),
    # A retry waits until then.
    Column("not_before", Double),
    UniqueConstraint("sweep_id", "content_key"),
    Index(None, "status", "id"),
    Index(None, "status", "priority", "id"),
    Index(None, "series_key", "revision"),
)

ticks = Table(
    "ticks",
    metadata,
    Column("id", Id, primary_key=True),
    # The config file that asks for it, by its whole path.
    Column("schedule", String(255), nullable=False),
    # The moment that the calendar names, not the one at which it was seen.
    Column("slot", Double, nullable=False),
    Column("why", Text, nullable=False),
    Column("status", String(16), nullable=False),
    Column("owner", Text, nullable=False),
    Column("sweep_id", Id),
    Column("note", Text, nullable=False),
    Column("begun_at", Double, nullable=False),
    Column("finished_at", Double),
    UniqueConstraint("schedule", "slot"),
)
