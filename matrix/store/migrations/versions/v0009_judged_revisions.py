"""What lets the judge go on from a series' newest revision, and the p-values of a release without reading verdicts.

A migration is history: it spells the columns out and never imports the tables of the present.
"""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

_RUNS = ["series_key", "revision", "outcome", "finished_at"]
_OLD, _NEW = "ix_runs_series_key_revision_outcome_finished_at", "ix_runs_judged"


def upgrade() -> None:
    falls = op.create_table(
        "falls",
        sa.Column("engine", sa.Text, nullable=False),
        sa.Column("revision", sa.Text, nullable=False),
        sa.Column("series_key", sa.String(16), nullable=False),
        sa.Column("metric", sa.String(32), nullable=False),
        sa.Column("p", sa.Double, nullable=False),
        sa.Column("q", sa.Double),
        sa.PrimaryKeyConstraint("engine", "revision", "series_key", "metric", name=op.f("pk_falls")),
        sqlite_with_rowid=False,
    )
    op.create_index(op.f("ix_falls_series_key"), "falls", ["series_key"])
    op.create_table(
        "judged_revisions",
        sa.Column("series_key", sa.String(16), nullable=False),
        sa.Column("revision", sa.Text, nullable=False),
        sa.Column("inputs", sa.String(32), nullable=False),
        sa.Column("chain", sa.String(32), nullable=False),
        sa.Column("said", sa.String(32), nullable=False),
        sa.Column("trace", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("leaves", sa.Text, nullable=False),
        sa.Column("alone", sa.JSON(none_as_null=True)),
        sa.PrimaryKeyConstraint("series_key", "revision", name=op.f("pk_judged_revisions")),
        sqlite_with_rowid=False,
    )
    op.create_index(_NEW, "runs", [*_RUNS, "boot", "run_id"])
    op.drop_index(_OLD, "runs")
    _fill(falls)


def downgrade() -> None:
    op.create_index(_OLD, "runs", _RUNS)
    op.drop_index(_NEW, "runs")
    op.drop_table("judged_revisions")
    op.drop_table("falls")


def _fill(falls: sa.Table) -> None:
    """From the numbers of the verdicts that were stored before."""
    names = ("series_key", "run_id", "revision", "metric")
    verdicts = sa.table("verdicts", *(sa.column(name, sa.Text) for name in names), sa.column("numbers", sa.JSON))
    runs = sa.table("runs", sa.column("run_id", sa.Text), sa.column("engine", sa.Text))
    p, q = (verdicts.c.numbers[name].as_float() for name in ("p_fall", "q"))
    said = sa.select(runs.c.engine, verdicts.c.revision, verdicts.c.series_key, verdicts.c.metric, p, q)
    of_runs = said.join_from(verdicts, runs, runs.c.run_id == verdicts.c.run_id).where(p.is_not(None))
    op.execute(falls.insert().from_select(["engine", "revision", "series_key", "metric", "p", "q"], of_runs))
