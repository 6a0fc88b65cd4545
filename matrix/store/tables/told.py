"""What people said: regressions they have seen, and what drafts' authors published."""

from sqlalchemy import Column, Double, Index, Integer, String, Table, Text

from matrix.store.tables.base import Id, metadata

acks = Table(
    "acks",
    metadata,
    Column("id", Id, primary_key=True),
    Column("scope", String(16), nullable=False),
    Column("series_key", String(16), nullable=False),
    # The flip by what it says, not by its number: conclusions may be drawn again, acknowledgements must not be lost.
    Column("metric", String(32)),
    Column("to_revision", Text),
    Column("state", String(32), nullable=False),
    Column("reason", Text, nullable=False),
    Column("created_at", Double, nullable=False),
    Column("until", Double),
    Column("removed_at", Double),
    Index(None, "series_key"),
)

expectations = Table(
    "expectations",
    metadata,
    Column("draft", String(255), primary_key=True),
    Column("ordinal", Integer, primary_key=True, autoincrement=False),
    Column("value", Double, nullable=False),
    Column("bonus", String(16), nullable=False),
    Column("workload", Text, nullable=False),
    Column("k", Integer),
    Column("link", Text, nullable=False),
    Column("target", Text),
    Column("engine", Text),
)
