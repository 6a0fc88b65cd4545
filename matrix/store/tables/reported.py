"""What others reported of a model with a draft. Rows are only ever added."""

from sqlalchemy import Column, Double, Index, Integer, String, Table, Text

from matrix.store.tables.base import Id, metadata

reports = Table(
    "reports",
    metadata,
    Column("id", Id, primary_key=True),
    # Names the report by its content, so that importing a file twice adds nothing.
    Column("key", String(64), nullable=False, unique=True),
    Column("target", Text, nullable=False),
    Column("engine", Text, nullable=False),
    Column("state", String(32), nullable=False),
    Column("link", Text, nullable=False),
    Column("date", String(10), nullable=False),
    Column("draft", Text, nullable=False),
    Column("method", String(32), nullable=False),
    Column("versions", Text, nullable=False),
    Column("hardware", Text, nullable=False),
    Column("value", Double),
    Column("bonus", String(16), nullable=False),
    Column("k", Integer),
    Column("topk", Integer),
    Column("draft_tokens", Integer),
    Column("workload", Text, nullable=False),
    Column("tok_s", Double),
    Column("speedup", Double),
    Column("text", Text, nullable=False),
    Column("imported_at", Double, nullable=False),
    Index(None, "target"),
)
