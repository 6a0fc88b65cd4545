"""Runs with their samples, and what they share by content. Rows here are only ever added, never changed."""

from sqlalchemy import BigInteger, Boolean, Column, Double, ForeignKey, Index, Integer, String, Table, Text

from matrix.store.tables.base import Id, Json, counter_columns, metadata

workloads = Table(
    "workloads",
    metadata,
    Column("content", String(64), primary_key=True),
    Column("body", Json, nullable=False),
)

locks = Table(
    "locks",
    metadata,
    Column("ref", String(64), primary_key=True),
    Column("lines", Text, nullable=False),
)

runs = Table(
    "runs",
    metadata,
    Column("id", Id, primary_key=True),
    Column("run_id", String(64), nullable=False, unique=True),
    Column("sweep_id", Id, ForeignKey("sweeps.id")),
    Column("series_key", String(16), nullable=False),
    Column("baseline_key", String(16), nullable=False),
    Column("content_key", String(64), nullable=False),
    # What was run.
    Column("engine", Text, nullable=False),
    Column("revision", Text, nullable=False),
    Column("boot", Integer, nullable=False),
    Column("install", Text, nullable=False),
    Column("executor", Text, nullable=False),
    Column("target", Text, nullable=False),
    Column("target_source", Text, nullable=False),
    Column("target_content", Text),
    Column("draft", Text),
    Column("draft_source", Text),
    Column("draft_content", Text),
    Column("spec", Text, nullable=False),
    Column("method", String(32), nullable=False),
    Column("k", Integer),
    Column("topk", Integer),
    Column("draft_tokens", Integer),
    Column("launch", Text, nullable=False),
    Column("workload", Text, nullable=False),
    Column("workload_content", String(64), ForeignKey("workloads.content"), nullable=False),
    Column("kind", Text, nullable=False),
    Column("concurrency", Integer, nullable=False),
    Column("hardware", Text, nullable=False),
    Column("cell", Json, nullable=False),
    Column("recipe_text", Text, nullable=False),
    Column("probe_version", Text, nullable=False),
    # What came of it.
    Column("outcome", String(32), nullable=False),
    Column("reason", Text, nullable=False),
    Column("next_step", Text, nullable=False),
    Column("signature", Text, nullable=False),
    Column("excerpt", Text, nullable=False),
    # Sums over the samples below: raw counters, divided only when read. None where one sample's counter is unknown.
    Column("samples", Integer, nullable=False),
    *counter_columns(),
    # Speed is told for one request in flight: tokens and seconds of the samples at concurrency 1.
    Column("single_tokens", BigInteger),
    Column("single_seconds", Double),
    # What the run shows as a whole; None in rows from before this was noted.
    Column("flags", Json),
    Column("uptime", Json),
    Column("noise", Json, nullable=False),
    Column("phases", Json, nullable=False),
    Column("resolved", Json, nullable=False),
    Column("command", Json, nullable=False),
    Column("artifact_kind", Text),
    Column("artifact_ref", Text),
    Column("artifact_digest", Text),
    Column("artifact_reused", Boolean),
    Column("artifact_notes", Json, nullable=False),
    Column("lock_ref", String(64), ForeignKey("locks.ref")),
    Column("log_ref", String(64)),
    Column("log_bytes", BigInteger),
    Column("evidence", String(16), nullable=False),
    Column("started_at", Double, nullable=False),
    Column("finished_at", Double, nullable=False),
    Column("tool_version", Text, nullable=False),
    # Covers the search for the newest run of each square, the one query that goes over all runs, and for the runs that
    # the judge of a series takes.
    Index("ix_runs_judged", "series_key", "revision", "outcome", "finished_at", "boot", "run_id"),
    Index(None, "content_key"),
    # How the neighbours of a run are found: on its release, with its draft file, under its names.
    Index(None, "engine", "revision"),
    Index(None, "draft_content"),
    Index(None, "target", "draft"),
    Index(None, "finished_at", "id"),
    Index(None, "sweep_id"),
)

samples = Table(
    "samples",
    metadata,
    Column("run", Id, ForeignKey("runs.id"), primary_key=True, autoincrement=False),
    Column("ordinal", Integer, primary_key=True, autoincrement=False),
    Column("prompt_id", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("repetition", Integer, nullable=False),
    Column("concurrency", Integer, nullable=False),
    *counter_columns(),
    Column("cross_check", Json),
    Column("seconds", Double, nullable=False),
    Column("text", Text, nullable=False),
    Column("text_hash", Text, nullable=False),
    Column("flags", Json, nullable=False),
    Column("diverged_at", Integer),
    Column("gap", Double),
    Column("gap_at_least", Boolean),
    # Last and seldom read: a baseline's alternatives are a thousand times larger than the rest of the row.
    Column("alternatives", Json),
)
