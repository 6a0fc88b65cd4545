"""What pages and answers read instead of going over all runs: each series, and its newest run at each revision.

Both follow from `runs`, `samples` and `verdicts`; `matrix.store.squares` keeps them as runs and verdicts are stored.
"""

from sqlalchemy import BigInteger, Column, Double, Index, Integer, String, Table, Text

from matrix.store.tables.base import metadata

series = Table(
    "series",
    metadata,
    Column("series_key", String(16), primary_key=True),
    Column("baseline_key", String(16), nullable=False),
    # What its newest run says it is about.
    Column("engine", Text, nullable=False),
    Column("target", Text, nullable=False),
    Column("target_content", Text),
    Column("draft", Text),
    Column("draft_content", Text),
    Column("method", String(32), nullable=False),
    Column("spec", Text, nullable=False),
    Column("k", Integer),
    Column("launch", Text, nullable=False),
    Column("workload", Text, nullable=False),
    Column("hardware", Text, nullable=False),
    Column("executor", Text, nullable=False),
    Column("runs", BigInteger, nullable=False),
    # Grows whenever one of its squares changes, so that what was made of them can be kept until then.
    Column("mark", BigInteger, nullable=False),
    Index(None, "baseline_key"),
    Index(None, "target"),
)

squares = Table(
    "squares",
    metadata,
    Column("series_key", String(16), primary_key=True),
    Column("revision", Text, primary_key=True),
    # The newest run of the series there, a measured one before any other.
    Column("run_id", String(64), nullable=False),
    Column("boot", Integer, nullable=False),
    Column("outcome", String(32), nullable=False),
    Column("reason", Text, nullable=False),
    Column("finished_at", Double, nullable=False),
    # 95 % intervals over prompts; speeds in output tokens a second.
    Column("accept_length", Double),
    Column("low", Double),
    Column("high", Double),
    Column("tok_s", Double),
    Column("tok_s_low", Double),
    Column("tok_s_high", Double),
    Column("baseline_tok_s", Double),
    # The worst known state of its metrics, why, and the noise of its accept length as a share.
    Column("state", String(32), nullable=False),
    Column("why", Text, nullable=False),
    Column("noise", Double),
    # Rows of one series then lie together, in SQLite as well.
    sqlite_with_rowid=False,
)
