"""Bisections with their answers, and what keeps others off: GPU leases, holds on artifacts, hashed tokens."""

from sqlalchemy import Column, Double, ForeignKey, Index, Integer, String, Table, Text, UniqueConstraint

from matrix.store.tables.base import Id, Json, metadata

bisections = Table(
    "bisections",
    metadata,
    Column("id", Id, primary_key=True),
    # The bisection whose answer this one looks into further: releases, then nightlies, then commits.
    Column("parent_id", Id, ForeignKey("bisections.id")),
    Column("engine", Text, nullable=False),
    Column("level", String(16), nullable=False),
    Column("question", String(32), nullable=False),
    Column("status", String(16), nullable=False),
    # What was asked for, the text of its config, and the points with their parents: enough to go on after a kill.
    Column("request", Json, nullable=False),
    Column("config", Text, nullable=False),
    Column("history", Json, nullable=False),
    # The failure signature of the bad end; another crash is no evidence.
    Column("signature", Text, nullable=False),
    Column("report", Json),
    Column("owner", Text),
    Column("created_at", Double, nullable=False),
    Column("finished_at", Double),
    Index(None, "status"),
)

answers = Table(
    "bisect_answers",
    metadata,
    Column("id", Id, primary_key=True),
    Column("bisection", Id, ForeignKey("bisections.id"), nullable=False),
    Column("point", Text, nullable=False),
    Column("said", String(16), nullable=False),
    Column("ratio", Double),
    Column("why", Text, nullable=False),
    Column("run_id", String(64)),
    Column("boot", Integer),
    Column("phase", String(16), nullable=False),
    Column("by_hand", Integer, nullable=False),
    Column("created_at", Double, nullable=False),
    # Taken back by `undo` or `retry`; the row stays.
    Column("undone_at", Double),
    Index(None, "bisection"),
)

holds = Table(
    "holds",
    metadata,
    Column("id", Id, primary_key=True),
    Column("kind", String(16), nullable=False),
    Column("ref", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("bisection", Id, ForeignKey("bisections.id")),
    Column("created_at", Double, nullable=False),
    Column("released_at", Double),
    Index(None, "ref"),
)

leases = Table(
    "gpu_leases",
    metadata,
    Column("id", Id, primary_key=True),
    Column("host", String(255), nullable=False),
    Column("gpu", Integer, nullable=False),
    Column("owner", Text, nullable=False),
    Column("purpose", Text, nullable=False),
    Column("taken_at", Double, nullable=False),
    Column("heartbeat_at", Double, nullable=False),
    Column("expires_at", Double, nullable=False),
    UniqueConstraint("host", "gpu"),
)

tokens = Table(
    "tokens",
    metadata,
    Column("id", Id, primary_key=True),
    Column("name", String(255), nullable=False, unique=True),
    # SHA-256 (hex) of a random token of 32 bytes; the token itself is stored nowhere.
    Column("hash", String(64), nullable=False),
    Column("created_at", Double, nullable=False),
    Column("last_used_at", Double),
    Column("revoked_at", Double),
)
