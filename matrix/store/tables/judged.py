"""What the judge said: states of series, and their changes."""

from sqlalchemy import Boolean, Column, Double, ForeignKey, Index, String, Table, Text, UniqueConstraint

from matrix.store.tables.base import Id, Json, metadata

verdicts = Table(
    "verdicts",
    metadata,
    Column("series_key", String(16), primary_key=True),
    Column("run_id", String(64), ForeignKey("runs.run_id"), primary_key=True),
    Column("metric", String(32), primary_key=True),
    Column("revision", Text, nullable=False),
    Column("state", String(32), nullable=False),
    Column("reason", Text, nullable=False),
    Column("numbers", Json, nullable=False),
)

flips = Table(
    "flips",
    metadata,
    Column("id", Id, primary_key=True),
    Column("series_key", String(16), nullable=False),
    Column("metric", String(32), nullable=False),
    Column("change", String(32), nullable=False),
    Column("from_revision", Text, nullable=False),
    Column("to_revision", Text, nullable=False),
    Column("before", String(32), nullable=False),
    Column("after", String(32), nullable=False),
    Column("reason", Text, nullable=False),
    Column("from_run", String(64)),
    Column("to_run", String(64)),
    Column("standing", Boolean, nullable=False),
    Column("created_at", Double, nullable=False),
    # None until it was told to somebody, which happens once.
    Column("announced_at", Double),
    # One flip is stored, and so announced, once; judging again only refreshes its reason, runs and standing.
    UniqueConstraint("series_key", "metric", "change", "from_revision", "to_revision"),
    Index(None, "standing"),
    Index(None, "to_revision"),
)

judged_series = Table(
    "judged_series",
    metadata,
    Column("series_key", String(16), primary_key=True),
    Column("engine", Text, nullable=False),
    Column("hardware", Text, nullable=False),
    # Thresholds by name, those alone in which the last config of the series departs from the judge's own.
    Column("thresholds", Json, nullable=False),
    # By metric: variance, within, df of the noise between the series' own boots; None where no revision was repeated.
    Column("noise", Json),
    Index(None, "engine", "hardware"),
)

falls = Table(
    "falls",
    metadata,
    # All comparisons of a release lie together: they are controlled together.
    Column("engine", Text, primary_key=True),
    Column("revision", Text, primary_key=True),
    Column("series_key", String(16), primary_key=True),
    Column("metric", String(32), primary_key=True),
    # One-sided p of a fall as the verdict's numbers hold it; q is None until the release was controlled.
    Column("p", Double, nullable=False),
    Column("q", Double),
    Index(None, "series_key"),
    sqlite_with_rowid=False,
)

judged_revisions = Table(
    "judged_revisions",
    metadata,
    Column("series_key", String(16), primary_key=True),
    Column("revision", Text, primary_key=True),
    # Digests: of what the revision's own trace rests on, of that and all before it, of what was concluded (empty where
    # a q-value has changed since).
    Column("inputs", String(32), nullable=False),
    Column("chain", String(32), nullable=False),
    Column("said", String(32), nullable=False),
    # What the revision shows by itself; the references it leaves; its verdicts where the whole series changed them.
    Column("trace", Json, nullable=False),
    # JSON that is read of one revision alone.
    Column("leaves", Text, nullable=False),
    Column("alone", Json),
    sqlite_with_rowid=False,
)
