"""What people outside of the dashboard were told, or are still to be told."""

from sqlalchemy import Column, Double, Index, Integer, String, Table, Text, UniqueConstraint

from matrix.store.tables.base import Id, Json, metadata

messages = Table(
    "messages",
    metadata,
    Column("id", Id, primary_key=True),
    # Which `[notify.NAME]` of which config file, by its whole path.
    Column("config", String(255), nullable=False),
    Column("notifier", String(64), nullable=False),
    # Names the message for good, so that nothing is told twice.
    Column("key", String(255), nullable=False),
    Column("kind", String(16), nullable=False),
    Column("title", Text, nullable=False),
    Column("body", Json, nullable=False),
    Column("status", String(16), nullable=False),
    Column("attempts", Integer, nullable=False),
    # Not sent again before.
    Column("next_at", Double),
    Column("error", Text, nullable=False),
    Column("created_at", Double, nullable=False),
    Column("sent_at", Double),
    UniqueConstraint("config", "notifier", "key"),
    Index(None, "status", "next_at"),
)
